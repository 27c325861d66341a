import { expect, it } from '@jest/globals';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { replicasOnServers } from '../../support/harness/replicas-on-servers.js';

const WRITES = 20;

describeOnMongoDb('a read through another replica', (store) => {
  const servers = replicasOnServers(2, store);

  it('sees every write that was answered before it', async () => {
    for (let count = 1; count <= WRITES; count++) {
      const [here, there] = count % 2 === 0 ? servers.clients : servers.clients.toReversed();
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
