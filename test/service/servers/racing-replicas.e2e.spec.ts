import { expect, it } from '@jest/globals';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { createKey, eventTypesOfKey } from '../../support/harness/api-keys.js';
import { errorOf } from '../../support/harness/error-of.js';
import { replicasOnServers } from '../../support/harness/replicas-on-servers.js';

const REPLICAS = 3;
const RACERS = 100;

describeOnMongoDb('one key that many change through three replicas', (store) => {
  const servers = replicasOnServers(REPLICAS, store, { RATE_LIMIT_WRITES: '60000/60s' });

  it.each([1, 2, 3, 4, 5])('takes every change, in round %d', async () => {
    const { first, clients } = servers;
    const { data } = await createKey(first.client);
    const before = await servers.log.counts();
    // On a slow machine a change may take longer than it is tried, and is sent again then.
    const race = async (racer: number): Promise<void> => {
      const client = clients[racer % REPLICAS] ?? first.client;
      for (;;) {
        const answer = await client.patch(`/v1/keys/${data.hash}`, { name: `by racer ${racer}` });
        if (answer.status === 200) return;
        expect(errorOf(answer, 503).reason).toBe('too-many-writers');
      }
    };
    await Promise.all(Array.from({ length: RACERS }, (_, racer) => race(racer)));
    const { appends } = await servers.log.counts();
    // A change that is stored lets no more than one attempt of each other replica fail.
    expect(appends - before.appends).toBeLessThanOrEqual(REPLICAS * RACERS);
    const types = await eventTypesOfKey(first, data.hash);
    expect(types.filter((type) => type === 'ApiKeyRenamed')).toHaveLength(RACERS);
  });
});
