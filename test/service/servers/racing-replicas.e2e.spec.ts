import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SimulatorProcess } from '../../support/backends/eventstoredb-simulator/simulator-process.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { createKey, eventTypesOfKey } from '../../support/harness/api-keys.js';
import { startApp, type StartedApp } from '../../support/harness/running-app.js';

const REPLICAS = 3;
const RACERS = 100;

describeOnMongoDb('one key that many change through three replicas', (store) => {
  let log: SimulatorProcess;
  let replicas: StartedApp[];

  beforeAll(async () => {
    log = await SimulatorProcess.start({ pace: 'real' });
    const settings = {
      EVENTSTOREDB_CONNECTION_STRING: log.connectionString,
      MONGODB_URI: store().freshUri(),
      RATE_LIMIT_WRITES: '60000/60s',
    };
    replicas = [];
    for (let count = 0; count < REPLICAS; count += 1) replicas.push(await startApp(settings));
  });

  afterAll(async () => {
    for (const replica of replicas) await replica.stop();
    await log.stop();
  });

  it.each([1, 2, 3, 4, 5])('takes every change, in round %d', async () => {
    const [first] = replicas;
    if (!first) throw new Error('there is no replica');
    const { data } = await createKey(first.client);
    const answers = await Promise.all(
      Array.from({ length: RACERS }, (_, racer) => {
        const replica = replicas[racer % REPLICAS] ?? first;
        return replica.client
          .as(first.managementKey)
          .patch(`/v1/keys/${data.hash}`, { name: `by racer ${racer}` });
      }),
    );
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const types = await eventTypesOfKey(first, data.hash);
    expect(types.filter((type) => type === 'ApiKeyRenamed')).toHaveLength(RACERS);
  });
});
