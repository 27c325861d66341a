import { afterEach, expect, it } from '@jest/globals';
import { SimulatorProcess } from '../../support/backends/eventstoredb-simulator/simulator-process.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import type { SimulatorOptions } from '../../support/backends/eventstoredb-simulator/options.js';
import { eventually } from '../../support/harness/eventually.js';
import type { HttpClient } from '../../support/harness/http-client.js';
import { startApp, type StartedApp } from '../../support/harness/running-app.js';
import { runServiceToItsEnd } from '../../support/harness/service-process.js';

const LIMIT_BYTES = 3_000;
const DENIED = {
  error: {
    code: 503,
    message: 'The event log denies access to the service',
    metadata: { reason: 'unavailable' },
  },
};
const TOO_LARGE = {
  status: 413,
  body: {
    error: { code: 413, metadata: { reason: 'change-too-large', limit_bytes: LIMIT_BYTES } },
  },
};
const READS = ['/v1/end-users', '/v1/keys', '/v1/workspaces', '/v1/audit-events'];

describeOnMongoDb('a log server that is strict', (store) => {
  let server: SimulatorProcess;
  let service: StartedApp | undefined;

  const settings = (): Readonly<Record<string, string>> => ({
    EVENTSTOREDB_CONNECTION_STRING: server.connectionString,
    MONGODB_URI: store().freshUri(),
  });

  async function startOn(options: SimulatorOptions = {}): Promise<HttpClient> {
    server = await SimulatorProcess.start(options);
    service = await startApp(settings());
    return service.client;
  }

  function readAll(client: HttpClient): Promise<{ status: number; body: unknown }[]> {
    return Promise.all(READS.map((path) => client.get(path)));
  }

  afterEach(async () => {
    await service?.stop();
    service = undefined;
    await server.stop();
  });

  it('and takes too little for the first account ends the start in one line, with its limit', async () => {
    server = await SimulatorProcess.start({ maxAppendBytes: 100 });
    const ended = await runServiceToItsEnd(settings());
    expect(ended.code).toBe(1);
    expect(ended.output).toMatch(
      /keyledger cannot start:\nThe change is too large for one append to the event log: 100 bytes at most\n$/,
    );
  });

  it('and lets nobody read $all any more is 503 to reads, which say so, until it does', async () => {
    const client = await startOn();
    await server.inject({ on: 'all', effect: 'fail', failure: 'access-denied' });
    for (const answer of await readAll(client))
      expect(answer).toMatchObject({ status: 503, body: DENIED });
    const written = await client.post('/v1/end-users', { user: 'ada' });
    expect(written.status).toBe(201);
    await server.heal();
    await eventually('all is read again', async () =>
      (await readAll(client)).every(({ status }) => status === 200),
    );
    const { body } = await client.get('/v1/end-users');
    expect(body).toMatchObject({ data: [{ user: 'ada' }], total_count: 1 });
  });

  it('and takes no append either is 503 to it as well', async () => {
    const client = await startOn();
    await server.inject({ on: 'append', effect: 'fail', failure: 'access-denied' });
    const refused = await client.post('/v1/end-users', { user: 'ada' });
    expect(refused).toMatchObject({ status: 503, body: DENIED });
    expect(refused.headers.get('retry-after')).toBe('1');
  });

  it('and takes little in one append is 413 with its limit to more, and takes the rest', async () => {
    const client = await startOn({ maxAppendBytes: LIMIT_BYTES });
    const long = '𝔘'.repeat(250);
    const large = { name: long, creator_user_id: long, external: { user: long } };
    expect(await client.post('/v1/keys', large)).toMatchObject(TOO_LARGE);
    const created = await client.post<{ data: { hash: string } }>('/v1/keys', {
      name: 'small',
    });
    expect(created.status).toBe(201);
    const path = `/v1/keys/${created.body.data.hash}`;
    const changes = { name: long, limit: 5, limit_reset: 'daily', disabled: true };
    expect(await client.patch(path, changes)).toMatchObject(TOO_LARGE);
    expect(await client.patch(path, { name: 'other' })).toMatchObject({ status: 200 });
    const { body } = await client.get('/v1/keys');
    expect(body).toMatchObject({ data: [{ name: 'other' }], total_count: 1 });
  });
});
