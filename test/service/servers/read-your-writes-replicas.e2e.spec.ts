import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { SimulatorProcess } from '../../support/backends/eventstoredb-simulator/simulator-process.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import type { HttpClient } from '../../support/harness/http-client.js';
import { startApp, type StartedApp } from '../../support/harness/running-app.js';

const WRITES = 20;

describeOnMongoDb('a read through another replica', (store) => {
  let log: SimulatorProcess;
  let replicas: StartedApp[];
  let clients: HttpClient[];

  beforeEach(async () => {
    log = await SimulatorProcess.start({ pace: 'real' });
    const settings = {
      EVENTSTOREDB_CONNECTION_STRING: log.connectionString,
      MONGODB_URI: store().freshUri(),
    };
    const first = await startApp(settings);
    const second = await startApp(settings);
    replicas = [first, second];
    clients = [first.client, second.client.as(first.managementKey)];
  });

  afterEach(async () => {
    for (const replica of replicas) await replica.stop();
    await log.stop();
  });

  it('sees every write that was answered before it', async () => {
    for (let count = 1; count <= WRITES; count++) {
      const [here, there] = count % 2 === 0 ? clients : clients.toReversed();
      const user = `user-${count}`;
      expect(await here?.post('/v1/end-users', { user })).toMatchObject({ status: 201 });
      expect(await there?.get(`/v1/end-users?user=${user}`)).toMatchObject({
        body: { data: [{ user }], total_count: 1 },
      });
      const created = await here?.post<{ data: { hash: string } }>('/v1/keys', { name: user });
      const hash = created?.body.data.hash ?? '';
      const renamed = { name: `${user} renamed` };
      expect(await there?.patch(`/v1/keys/${hash}`, renamed)).toMatchObject({ status: 200 });
      expect(await here?.get(`/v1/keys/${hash}`)).toMatchObject({ body: { data: renamed } });
      expect(await here?.get('/v1/keys?limit=1')).toMatchObject({
        body: { data: [renamed], total_count: count },
      });
    }
  });
});
