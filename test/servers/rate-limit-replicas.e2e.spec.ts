import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { CommandGate } from '../backends/command-gate.js';
import { SimulatorProcess } from '../backends/eventstoredb-simulator/simulator-process.js';
import { describeOnMongoDb, itOnOwnMongoDb } from '../backends/on-mongodb.js';
import { eventually } from '../harness/eventually.js';
import type { Answer, HttpClient } from '../harness/http-client.js';
import { startApp, type StartedApp } from '../harness/running-app.js';

/** Two services start on servers, one of which reads whole collections. */
const START_TIMEOUT_MS = 60_000;
const COUNT = 6;
/** The longest time that the store takes to fail. */
const ANSWERED_WITHIN_MS = 8_500;
const HEALED_WITHIN_MS = 20_000;
const ALONE = 'counted by this replica alone';
const TOGETHER = 'counted with the other replicas again';

describeOnMongoDb('the rate limit on creating keys, over two replicas', (server) => {
  let log: SimulatorProcess;
  let gate: CommandGate;
  let replicas: [StartedApp, StartedApp];
  let clients: [HttpClient, HttpClient];

  beforeEach(async () => {
    log = await SimulatorProcess.start({ pace: 'real' });
    const uri = server().freshUri();
    gate = await CommandGate.open(uri);
    const settings = {
      EVENTSTOREDB_CONNECTION_STRING: log.connectionString,
      RATE_LIMIT_KEY_CREATION: `${COUNT}/600s`,
    };
    const first = await startApp({ ...settings, MONGODB_URI: gate.uri });
    const second = await startApp({ ...settings, MONGODB_URI: uri });
    replicas = [first, second];
    // The second replica starts on a log with events, so both have the key of the first.
    clients = [first.client, second.client.as(first.managementKey)];
  }, START_TIMEOUT_MS);

  afterEach(async () => {
    for (const replica of replicas) await replica.stop();
    gate.close();
    await log.stop();
  });

  function create(replica: 0 | 1, body: object = { name: 'a key' }): Promise<Answer> {
    return clients[replica].post('/v1/keys', body);
  }

  /** Counts log lines of either replica: the logger of Nest belongs to the replica that was made last. */
  function said(words: string): number {
    const lines = replicas.flatMap(({ logLines }) => logLines);
    return lines.filter((line) => line.includes(words)).length;
  }

  it('is one budget, with what is left of it on the answers of both', async () => {
    const answers = await Promise.all(
      Array.from({ length: 2 * COUNT }, (_, turn) => create(turn % 2 ? 0 : 1)),
    );
    const left = answers
      .filter(({ status }) => status === 201)
      .map(({ headers }) => Number(headers.get('ratelimit-remaining')))
      .sort();
    expect(said(ALONE)).toBe(0);
    expect(left).toEqual(Array.from({ length: COUNT }, (_, index) => index));
    for (const replica of [0, 1] as const) {
      const refused = await create(replica);
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toBe(refused.headers.get('ratelimit-reset'));
    }
  });

  it('gives back what one of them refuses to both', async () => {
    await create(0);
    for (let round = 0; round < COUNT; round += 1) {
      const refused = await create(round % 2 ? 0 : 1, { name: '' });
      expect(refused.status).toBe(400);
      expect(refused.headers.get('ratelimit-remaining')).toBe(String(COUNT - 1));
    }
    const answer = await create(1);
    expect(answer.headers.get('ratelimit-remaining')).toBe(String(COUNT - 2));
  });

  it('neither fails nor holds up a creation whose count gets no answer, and says so once', async () => {
    await create(1);
    const held = gate.hold(({ collection }) => collection === 'rate_limit_windows');
    const began = performance.now();
    const alone = await create(0);
    await held;
    expect(performance.now() - began).toBeLessThan(4_000);
    expect(alone.status).toBe(201);
    expect(alone.headers.get('ratelimit-remaining')).toBe(String(COUNT - 1));
    await create(0);
    expect(said(ALONE)).toBe(1);
    await eventually('the count is shared again', async () => {
      await create(0, { name: '' });
      return said(TOGETHER) === 1;
    });
    const answer = await create(0);
    expect(answer.headers.get('ratelimit-remaining')).toBe(String(COUNT - 2));
    expect(said(ALONE)).toBe(1);
  });

  itOnOwnMongoDb(
    'answers soon while the store is killed, and goes on with its count afterwards',
    server,
    async (store) => {
      for (const replica of [0, 1] as const) await create(replica);
      await store.kill();
      const began = performance.now();
      const meanwhile = await Promise.all([create(0), create(1)]);
      expect(performance.now() - began).toBeLessThan(ANSWERED_WITHIN_MS);
      // The answer is 503 once authentication has to ask the store.
      for (const { status } of meanwhile) expect([201, 503]).toContain(status);
      await store.restart();
      await eventually('creations are answered', () => refusedByShape(), HEALED_WITHIN_MS);
      const answers = await Promise.all(
        Array.from({ length: 2 * COUNT }, (_, turn) => create(turn % 2 ? 0 : 1)),
      );
      const created = answers.filter(({ status }) => status === 201);
      expect(created.length).toBeLessThanOrEqual(COUNT - 2);
      for (const { status } of answers) expect([201, 429]).toContain(status);
    },
  );

  /** Whether both replicas refuse an invalid creation, and count together. */
  async function refusedByShape(): Promise<boolean> {
    const answers = await Promise.all([create(0, { name: '' }), create(1, { name: '' })]);
    return answers.every(({ status }) => status === 400) && said(TOGETHER) === said(ALONE);
  }
});
