import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { HttpClient } from '../../support/harness/http-client.js';
import { eventually } from '../../support/harness/eventually.js';
import { UsageLoad } from '../../support/harness/usage-load.js';
import { expectSameUsage, type ModelKey, modelKey } from '../../support/harness/usage-model.js';
import { Cluster } from './cluster.js';

const CONNECTIONS = 8;
/** The number of reports that are answered between two faults. */
const BETWEEN = 25;
const FROZEN_MS = 2_000;
const KNOWN_WITHIN_MS = 1_000;
const LOOKS = 10;
const WITHIN_MS = 120_000;

describe('usage reported to replicas', () => {
  let cluster: Cluster;
  let keys: ModelKey[];
  let load: UsageLoad;

  beforeAll(async () => {
    cluster = await Cluster.start();
    const { client } = cluster.replica(0);
    keys = [await modelKey(client, '1000', null), await modelKey(client, '1000', 'monthly')];
    load = new UsageLoad(keys, () => {
      const first = randomInt(cluster.replicas.length);
      return [cluster.replica(first).client, cluster.replica(first + randomInt(2)).client];
    });
  }, WITHIN_MS);

  afterAll(async () => {
    await load.stop();
    await cluster.stop();
  });

  async function untilMoreAreAnswered(): Promise<void> {
    const until = load.answered + BETWEEN;
    await eventually('reports are answered', () => load.answered >= until, 30_000);
  }

  it(
    'is counted once, also when two get a report at once and replicas are killed and frozen',
    async () => {
      load.start(CONNECTIONS);
      await untilMoreAreAnswered();
      const [killed, frozen] = [cluster.replica(0), cluster.replica(1)];
      await killed.kill();
      killed.launch();
      frozen.freeze();
      await delay(FROZEN_MS);
      frozen.thaw();
      await cluster.ready();
      await untilMoreAreAnswered();
      await load.stop();
      for (const { client } of cluster.replicas) {
        await expectSameUsage(client, load.model, keys, Date.now());
      }
    },
    WITHIN_MS,
  );

  it(
    'is known to every replica within a second, and read by a record at once',
    async () => {
      for (let look = 0; look < LOOKS; look += 1) {
        const { client } = cluster.replica(look);
        const { hash } = await modelKey(client, '1', null);
        const others = cluster.replicas.map((replica) => replica.client);
        const ask = async (other: HttpClient): Promise<unknown> => {
          const { body } = await other.post<Verified>('/v1/keys/verify', { hash });
          return body.data.code;
        };
        for (const other of others) expect(await ask(other)).toBe('VALID');
        const body = { records: [{ key_hash: hash, cost: 1 }] };
        const sent = await client.send('PUT', `/v1/usage-reports/${randomUUID()}`, { body });
        expect(sent.status).toBe(201);
        const answered = performance.now();
        const isKnown = async (other: HttpClient): Promise<boolean> => {
          const begun = performance.now();
          const code = await ask(other);
          if (code !== 'LIMIT_EXCEEDED') expect(begun - answered).toBeLessThan(KNOWN_WITHIN_MS);
          return code === 'LIMIT_EXCEEDED';
        };
        await Promise.all(
          others.map(async (other) => {
            const read = await other.get(`/v1/keys/${hash}`);
            expect(read).toMatchObject({ body: { data: { usage: 1, limit_remaining: 0 } } });
            await eventually('the limit is known to be exceeded', () => isKnown(other));
          }),
        );
      }
    },
    WITHIN_MS,
  );
});

interface Verified {
  readonly data: { readonly code: string };
}
