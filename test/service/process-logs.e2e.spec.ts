import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PROJECTIONS } from '../../src/host/assembly/events-and-projections.js';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { keyledger } from '../support/harness/command-line.js';
import { eventually } from '../support/harness/eventually.js';
import { openRawConnection } from '../support/harness/raw-connection.js';
import { startService, type ServiceProcess } from '../support/harness/service-process.js';

describe('the log of the process', () => {
  let backends: Backends;
  let service: ServiceProcess;
  const managementKey = mintKeyString('mk-v1-');

  async function start(level: string): Promise<void> {
    const settings = { ...backends.settings, BOOTSTRAP_MANAGEMENT_KEY: managementKey };
    service = await startService({ ...settings, LOG_LEVEL: level });
  }

  function lineOf(requestId: string): Promise<Record<string, unknown>> {
    return eventually('the log line of a request', () =>
      service.logged().find((line) => line.request_id === requestId && line.status !== undefined),
    );
  }

  beforeEach(async () => {
    backends = await freshBackends();
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
    await backends.dispose();
  });

  it('says of each request who, which route, how it ended and how long it took', async () => {
    await start('info');
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
    const create = await lineOf('create-1');
    expect(create).toMatchObject({ method: 'POST', route: '/v1/keys', status: 201 });
    expect(create.account_id).toEqual(expect.stringMatching(/^[0-9a-f-]{36}$/));
    expect(create.duration_ms).toBeGreaterThan(0);
    expect(create.duration_ms).toBeLessThan(10_000);
    expect(await lineOf('update-1')).toMatchObject({ route: '/v1/keys/:hash', status: 200 });
    expect(await lineOf('stranger-1')).toMatchObject({ account_id: null, status: 401 });
    expect(await lineOf('lost-1')).toMatchObject({ route: null, status: 404 });
  });

  it('gives no status to a request whose caller went away before the answer', async () => {
    await start('info');
    const connection = await openRawConnection(service.address);
    connection.send(
      'POST /v1/end-users HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 50\r\n' +
        `X-Request-Id: gone-1\r\nAuthorization: Bearer ${managementKey}\r\n\r\n`,
    );
    await eventually('the service to wait for the body', () =>
      connection.received().includes('100'),
    );
    connection.destroy();
    expect(await lineOf('gone-1')).toMatchObject({
      level: 30,
      msg: 'request aborted',
      route: '/v1/end-users',
      status: null,
    });
  });

  it('warns of nothing where all goes as it should: a first start, a rebuild, a restart', async () => {
    await start('info');
    await service.client.get('/v1/end-users');
    expect((await keyledger(backends.settings, 'projections', 'rebuild')).code).toBe(0);
    const { length } = PROJECTIONS;
    const switched = /^projection .* is read from generation/;
    const lines = await eventually('every rebuild serves', () => {
      const found = service.logged().filter(({ msg }) => switched.test(String(msg)));
      return found.length === length ? found : undefined;
    });
    for (const line of lines) expect(line).toMatchObject({ level: 30 });
    const first = service;
    expect(await first.stop()).toBe(0);
    await start('info');
    expect(await service.stop()).toBe(0);
    const warnings = [...first.logged(), ...service.logged()].filter(
      ({ level }) => Number(level) > 30,
    );
    expect(warnings).toEqual([]);
  });

  it('is one JSON object a line at every level, from the first line to the last', async () => {
    await start('trace');
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

  it('holds no key, no Authorization header, no body and no path as it was sent', async () => {
    await start('trace');
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
    await lineOf('last-1');
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

  it('says the address and nothing else when it is silent', async () => {
    await start('silent');
    await service.client.get('/v1/end-users');
    await service.client.get('/nowhere');
    expect(await service.stop()).toBe(0);
    expect(service.logged()).toEqual([{ msg: 'ready', address: service.address }]);
    expect(service.lines()).toHaveLength(1);
  });
});
