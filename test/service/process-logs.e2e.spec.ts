import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { SimulatorProcess } from '../support/backends/eventstoredb-simulator/simulator-process.js';
import { MongoDbSimulator } from '../support/backends/mongodb-simulator/mongodb-simulator.js';
import { freePort } from '../support/backends/server-process.js';
import { createKey } from '../support/harness/api-keys.js';
import { keyledger } from '../support/harness/command-line.js';
import { eventually } from '../support/harness/eventually.js';
import { UNKNOWN_HASH } from '../support/harness/forms.js';
import { HttpClient } from '../support/harness/http-client.js';
import { madeBy } from '../support/harness/made-by.js';
import { openRawConnection } from '../support/harness/raw-connection.js';
import {
  type LaunchedService,
  launchService,
  type ServiceProcess,
} from '../support/harness/service-process.js';
import { type Stage, stageOfAll, stageOfEach } from '../support/harness/stage.js';

const managementKey = mintKeyString('mk-v1-');

/** Starts a service that logs at a level. */
function startAt(level: string, { start }: Stage): Promise<ServiceProcess> {
  return start({ BOOTSTRAP_MANAGEMENT_KEY: managementKey, LOG_LEVEL: level });
}

type Line = Record<string, unknown>;

function lineOf(service: ServiceProcess, requestId: string): Promise<Line> {
  return eventually('the log line of a request', () =>
    service.logged().find((line) => line.request_id === requestId && line.status !== undefined),
  );
}

describe('the log of the process', () => {
  const stage = stageOfAll();
  const service = madeBy(beforeAll, () => startAt('info', stage));

  it('says of each request who, which route, how it ended and how long it took', async () => {
    const created = await service.client.post<{ data: { hash: string } }>(
      '/v1/keys',
      { name: 'logged' },
      { headers: { 'X-Request-Id': 'create-1' } },
    );
    const { hash } = created.body.data;
    const headers = { 'X-Request-Id': 'update-1' };
    await service.client.patch(`/v1/keys/${hash}`, { name: 'renamed' }, { headers });
    await service.client.as(undefined).get('/v1/end-users', {
      headers: { 'X-Request-Id': 'stranger-1' },
    });
    await service.client.get('/no/such/route', { headers: { 'X-Request-Id': 'lost-1' } });
    const create = await lineOf(service, 'create-1');
    expect(create).toMatchObject({ method: 'POST', route: '/v1/keys', status: 201 });
    expect(create.account_id).toEqual(expect.stringMatching(/^[0-9a-f-]{36}$/));
    expect(create.duration_ms).toBeGreaterThan(0);
    expect(create.duration_ms).toBeLessThan(10_000);
    expect(await lineOf(service, 'update-1')).toMatchObject({
      route: '/v1/keys/:hash',
      status: 200,
    });
    expect(await lineOf(service, 'stranger-1')).toMatchObject({ account_id: null, status: 401 });
    expect(await lineOf(service, 'lost-1')).toMatchObject({ route: null, status: 404 });
  });

  it('says of a request that is refused whose key it came with', async () => {
    const { client } = service;
    let requests = 0;
    async function lineFor(key: string | undefined, path: string): Promise<Line> {
      const id = `refused-${(requests += 1)}`;
      const answer = await client.as(key).get(path, { headers: { 'X-Request-Id': id } });
      expect(answer.body).toMatchObject({ user_id: null });
      return lineOf(service, id);
    }
    const { data, key } = await createKey(client);
    const refused = await lineFor(key, '/v1/end-users');
    expect(refused).toMatchObject({ status: 403, key: data.hash.slice(0, 8) });
    expect(refused.account_id).toMatch(/^[0-9a-f-]{36}$/);
    await client.patch(`/v1/keys/${data.hash}`, { disabled: true });
    const { account_id, user_id, key: digits } = refused;
    const known = { status: 401, account_id, user_id, key: digits };
    expect(await lineFor(key, '/v1/key')).toMatchObject(known);
    const { settings } = stage.backends;
    const made = (await keyledger(settings, 'management-keys', 'create', '--json')).json;
    const { hash = '', management_key: revoked } = made as Readonly<Record<string, string>>;
    await keyledger(settings, 'management-keys', 'revoke', '--hash', hash);
    const line = { status: 401, account_id: null, key: hash.slice(0, 8) };
    expect(await lineFor(revoked, '/v1/key')).toMatchObject(line);
    const stranger = await lineFor(mintKeyString('sk-v1-'), '/v1/key');
    expect(stranger).toMatchObject({ status: 401, account_id: null, key: null });
  });

  it('says of a usage report, and of one taken back, which it was and what it counted', async () => {
    const report_id = randomUUID();
    const path = `/v1/usage-reports/${report_id}`;
    const record = { key_hash: UNKNOWN_HASH, cost: '250000.5', byok_cost: 2 };
    const body = { records: [record, record] };
    await service.client.send('PUT', path, { body, headers: { 'X-Request-Id': 'report-1' } });
    await service.client.send('DELETE', path, { headers: { 'X-Request-Id': 'reversal-1' } });
    for (const request of ['report-1', 'reversal-1']) {
      const sums = { report_id, records: 2, usage: 500_001, byok_usage: 4 };
      expect(await lineOf(service, request)).toMatchObject(sums);
    }
  });

  it('gives no status to a request whose caller went away before the answer', async () => {
    const connection = await openRawConnection(service.address);
    connection.send(
      'POST /v1/end-users HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 50\r\n' +
        `X-Request-Id: gone-1\r\nAuthorization: Bearer ${managementKey}\r\n\r\n`,
    );
    await eventually('the service to wait for the body', () =>
      connection.received().includes('100'),
    );
    connection.destroy();
    expect(await lineOf(service, 'gone-1')).toMatchObject({
      level: 30,
      msg: 'request aborted',
      route: '/v1/end-users',
      status: null,
    });
  });
});

describe('the log of the process', () => {
  const stage = stageOfEach();

  it('warns of nothing where all goes as it should: a first start, a rebuild, a restart', async () => {
    const first = await startAt('info', stage);
    await first.client.get('/v1/end-users');
    expect((await keyledger(stage.backends.settings, 'projections', 'rebuild')).code).toBe(0);
    const switched = await first.logs(/^read models of management are read from generation/);
    expect(switched).toMatchObject({ level: 30 });
    expect(await first.stop()).toBe(0);
    const service = await startAt('info', stage);
    expect(await service.stop()).toBe(0);
    const warnings = [...first.logged(), ...service.logged()].filter(
      ({ level }) => Number(level) > 30,
    );
    expect(warnings).toEqual([]);
  });

  it('says the addresses and nothing else when it is silent', async () => {
    const service = await startAt('silent', stage);
    await service.client.get('/v1/end-users');
    await service.client.get('/nowhere');
    expect(await service.stop()).toBe(0);
    const { address } = service;
    expect(service.logged()).toEqual([{ msg: 'ready', address, console: `${address}/console/` }]);
    expect(service.lines()).toHaveLength(1);
  });
});

describe('the whole log of the process, at its lowest level,', () => {
  const stage = stageOfEach();
  const service = madeBy(beforeEach, () => startAt('trace', stage));

  it('holds no key, no Authorization header, no body and no path as it was sent', async () => {
    const created = await service.client.post<{ key: string }>('/v1/keys', {
      name: 'name-in-a-body',
    });
    const { key } = created.body;
    await service.client.post('/v1/end-users', { user: 'user-in-a-body' });
    await service.client.post('/v1/end-users', '{"user": "broken-body');
    await service.client.get(`/v1/path-as-sent/${key}?query-as-sent=${key}`);
    await service.client.patch('/v1/keys/hash-as-sent', { name: 'x' });
    await service.client.as(key).get('/v1/end-users?user=query-as-sent');
    await service.client.as(undefined).get('/v1/end-users', {
      headers: { Authorization: 'Basic header-as-sent', 'X-Request-Id': 'last-1' },
    });
    await lineOf(service, 'last-1');
    const output = service.output();
    const unwelcome = [
      'in-a-body',
      'broken-body',
      'as-sent',
      'Bearer',
      'Basic',
      key,
      managementKey,
    ];
    for (const text of unwelcome) expect(output).not.toContain(text);
  });

  it('is one JSON object a line at every level, from the first line to the last', async () => {
    await service.client.post('/v1/end-users', { user: 'ada' });
    await service.client.post('/v1/end-users', 'no json');
    await service.client.get('/v1/audit-events', { headers: { Accept: 'application/x-ndjson' } });
    await service.stop();
    const lines = service.lines();
    expect(lines.length).toBeGreaterThan(5);
    for (const line of lines) {
      expect(JSON.parse(line)).toMatchObject({
        level: expect.any(Number),
        time: expect.any(String),
      });
    }
    expect(service.output()).toBe(lines.map((line) => `${line}\n`).join(''));
  });
});

const PASSWORD = 'not-for-the-log';
/** No server listens on this address, and the driver takes seconds to report that. */
const NOWHERE = '127.0.0.1:1';
const TOLD_WITHIN_MS = 20_000;

describe('the log of a service whose MongoDB cannot be reached', () => {
  let log: SimulatorProcess;
  let service: LaunchedService;
  let port: number;

  beforeEach(async () => {
    port = await freePort();
    log = await SimulatorProcess.start();
    service = launchService({
      PORT: String(port),
      EVENTSTOREDB_CONNECTION_STRING: log.connectionString,
      MONGODB_URI: `mongodb://root:${PASSWORD}@${NOWHERE}`,
      BOOTSTRAP_MANAGEMENT_KEY: managementKey,
      LOG_LEVEL: 'trace',
    });
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
    await log.stop();
  });

  function line(wanted: RegExp): Promise<Record<string, unknown>> {
    return eventually(
      `a log line like ${String(wanted)}`,
      () => service.logged().find(({ msg }) => wanted.test(String(msg))),
      TOLD_WITHIN_MS,
    );
  }

  it('says where read models are and why none is had, and not the password', async () => {
    expect(await line(/^starting$/)).toMatchObject({ read_models: `MongoDB at ${NOWHERE}` });
    const waiting = await line(
      /^waiting for MongoDB at 127\.0\.0\.1:1 \(connect ECONNREFUSED.*\)$/,
    );
    // Servers that start together with the service are no cause for alarm.
    expect(Object.keys(waiting)).toEqual(['level', 'time', 'msg']);
    expect(waiting).toMatchObject({ level: 30 });
    const asked = new HttpClient(`http://127.0.0.1:${port}`, managementKey);
    const ready = await asked.get('/health/ready');
    expect(ready).toMatchObject({ status: 503 });
    const probe = await eventually('the line of the probe', () =>
      service.logged().find(({ route }) => route === '/health/ready'),
    );
    expect(probe).toMatchObject({ level: 30, status: 503 });
    const listed = await asked.get('/v1/end-users');
    expect(listed).toMatchObject({ status: 503 });
    await line(/unavailable$/);
    expect(service.output()).not.toContain('waiting for EventStoreDB');
    for (const text of [service.output(), ready.text, listed.text]) {
      expect(text).not.toContain(PASSWORD);
    }
  });
});

describe('the log of a service whose servers are both away', () => {
  it('names both with their addresses, and of no trace', async () => {
    const service = launchService({
      EVENTSTOREDB_CONNECTION_STRING: `esdb://admin:${PASSWORD}@${NOWHERE}?tls=false`,
      MONGODB_URI: `mongodb://root:${PASSWORD}@${NOWHERE}`,
    });
    try {
      for (const name of ['MongoDB', 'EventStoreDB'])
        await eventually(
          `it waits for ${name}`,
          () => service.output().includes(`waiting for ${name} at ${NOWHERE} (`),
          TOLD_WITHIN_MS,
        );
      expect(service.output()).not.toMatch(/ {4}at |not-for-the-log/);
    } finally {
      await service.stop('SIGKILL');
    }
  });
});

describe('a start on a MongoDB that is not fit', () => {
  let log: SimulatorProcess;
  let mongoDb: MongoDbSimulator;

  beforeEach(async () => {
    log = await SimulatorProcess.start();
    mongoDb = await MongoDbSimulator.open();
  });

  afterEach(async () => {
    mongoDb.close();
    await log.stop();
  });

  it.each([
    [
      'is no replica set',
      { setName: undefined, hosts: undefined },
      'MongoDB must be a replica set. One member is enough: mongod --replSet rs0, then rs.initiate() in mongosh',
    ],
    ['is too old', { maxWireVersion: 9 }, 'MongoDB must be of version 5.0 or later'],
  ])('ends with the cure when it %s', async (_, describedAs, cure) => {
    mongoDb.describedAs = describedAs;
    const service = launchService({
      EVENTSTOREDB_CONNECTION_STRING: log.connectionString,
      MONGODB_URI: mongoDb.uri('keyledger'),
    });
    expect(await service.ended).toBe(1);
    expect(service.output()).toContain(cure);
  });
});
