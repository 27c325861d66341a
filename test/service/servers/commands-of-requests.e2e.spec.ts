import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { CommandGate } from '../../support/backends/command-gate.js';
import { SimulatorProcess } from '../../support/backends/eventstoredb-simulator/simulator-process.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { eventually } from '../../support/harness/eventually.js';
import { createKey } from '../../support/harness/api-keys.js';
import type { HttpClient } from '../../support/harness/http-client.js';
import { type StartedApp, startApp } from '../../support/harness/running-app.js';
import { createWorkspace } from '../../support/harness/workspace-routes.js';

/** So many requests that what replicas ask besides hardly counts. */
const REQUESTS = 60;
const KEYS = 5;
/** The most questions of an idle replica in a second, and for how long they are counted. */
const IDLE = 4;
const COUNTED_MS = 6_000;
const STARTED_WITHIN_MS = 60_000;

describeOnMongoDb('two replicas', (server) => {
  let log: SimulatorProcess;
  let gate: CommandGate;
  const replicas: StartedApp[] = [];
  let client: HttpClient;
  let hash: string;

  beforeAll(async () => {
    gate = await CommandGate.open(server().freshUri());
    log = await SimulatorProcess.start();
    const servers = {
      EVENTSTOREDB_CONNECTION_STRING: log.connectionString,
      MONGODB_URI: gate.uri,
    };
    for (let count = 0; count < 2; count++) replicas.push(await startApp(servers));
    client = replicas[0]?.client as HttpClient;
    await client.post('/v1/end-users', { user: 'ada' });
    const { id } = await createWorkspace(client, { slug: 'a-team' });
    for (let count = 0; count < KEYS; count++) await createKey(client, { workspace_id: id });
    hash = (await createKey(client)).data.hash;
    for (const path of ['/v1/end-users', '/v1/keys', `/v1/keys/${hash}`]) await client.get(path);
  }, STARTED_WITHIN_MS);

  afterAll(async () => {
    for (const replica of replicas) await replica.stop();
    gate.close();
    await log.stop();
  });

  /**
   * Gives the number of commands that the server gets in the course of some work, and how long that
   * takes.
   */
  async function counted(work: () => Promise<unknown>) {
    gate.seen.length = 0;
    const began = performance.now();
    await work();
    const commands = gate.seen.filter(({ name }) => name !== 'hello').length;
    return { commands, seconds: (performance.now() - began) / 1_000 };
  }

  it.each([
    ['a page of end users', 2, () => '/v1/end-users?limit=50'],
    ['a key', 2, () => `/v1/keys/${hash}`],
    ['a page of keys', 3, () => '/v1/keys?workspace_id=all'],
  ])('ask MongoDB for %s at most %i times', async (_, most, path) => {
    const { commands, seconds } = await counted(async () => {
      for (let count = 0; count < REQUESTS; count++) {
        expect(await client.get(path())).toMatchObject({ status: 200 });
      }
    });
    // The commands of idle replicas in a second may all come at its beginning.
    const idle = 2 * IDLE * (seconds + 1);
    expect(commands / REQUESTS).toBeLessThanOrEqual(most + idle / REQUESTS);
  });

  it('ask the log server for one append and no read of the stream to change a key again', async () => {
    await client.patch(`/v1/keys/${hash}`, { name: 'another' });
    const before = await log.counts();
    for (let count = 0; count < KEYS; count++) {
      const name = `name ${count}`;
      expect(await client.patch(`/v1/keys/${hash}`, { name })).toMatchObject({ status: 200 });
    }
    const { appends, streamReads } = await log.counts();
    expect({ appends, streamReads }).toEqual({
      appends: before.appends + KEYS,
      streamReads: before.streamReads,
    });
  });

  it(`ask MongoDB at most ${IDLE} questions a second each while nobody asks them`, async () => {
    const until = performance.now() + COUNTED_MS;
    const isOver = (): boolean => performance.now() > until;
    const { commands, seconds } = await counted(() =>
      eventually('the time is over', isOver, 2 * COUNTED_MS),
    );
    expect(commands).toBeGreaterThan(seconds);
    // What each asks may come at the beginning and at the end.
    expect(commands / 2).toBeLessThanOrEqual(IDLE * (seconds + 1));
  });
});
