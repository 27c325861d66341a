import { expect, it } from '@jest/globals';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { eventually } from '../../support/harness/eventually.js';
import type { HttpClient } from '../../support/harness/http-client.js';
import { madeString } from '../../support/harness/made-strings.js';
import { replicasOnServers } from '../../support/harness/replicas-on-servers.js';

const KEYS = '/v1/management-keys';
const ROUNDS = 5;
const KNOWN_WITHIN_MS = 1_000;

interface Made {
  readonly data: { readonly hash: string };
  readonly key: string;
}

describeOnMongoDb('management keys on two replicas', (store) => {
  const cluster = replicasOnServers(2, store);

  /** Gives the client of a new account on each replica. */
  async function accountOnBoth(): Promise<readonly [HttpClient, HttpClient]> {
    const [first, second] = cluster.replicas;
    if (!first || !second) throw new Error('there are two replicas');
    const { managementKey } = await first.openAccount();
    return [first.client.as(managementKey), second.client.as(managementKey)];
  }

  const statusOf = async (client: HttpClient, path = '/v1/key'): Promise<number> =>
    (await client.get(path)).status;

  it('belong to one account, and are made once, whoever asks for the hash at once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [one, other] = [await accountOnBoth(), await accountOnBoth()];
      const { key, hash } = madeString('mk-v1-');
      const answers = await Promise.all(
        [...one, ...other].flatMap((client) => [
          client.put(`${KEYS}/${hash}`, { role: 'admin' }),
          client.put(`/v1/keys/${hash}`, { name: 'a' }),
        ]),
      );
      const statuses = answers.map(({ status }) => status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(1);
      for (const status of statuses) expect([200, 201, 409]).toContain(status);
      const listed = await Promise.all(
        [one, other].map(async ([client]) => statusOf(client, `${KEYS}/${hash}`)),
      );
      const opens = await statusOf(one[0].as(key));
      // The string of an API key begins otherwise, so as an API key it would open nothing.
      expect(listed.filter((status) => status === 200)).toHaveLength(opens === 200 ? 1 : 0);
    }
  });

  it('open the other replica at once, and are shut out of it within a second', async () => {
    const [here, there] = await accountOnBoth();
    const { data, key } = (await here.post<Made>(KEYS, { role: 'auditor' })).body;
    expect(await statusOf(there.as(key))).toBe(200);
    expect(await here.delete(`${KEYS}/${data.hash}`)).toMatchObject({ status: 200 });
    const shutOut = async () => (await statusOf(there.as(key))) === 401;
    await eventually('the other replica knows', shutOut, KNOWN_WITHIN_MS);
    expect(await there.delete(`${KEYS}/${data.hash}`)).toMatchObject({ status: 200 });
  });

  it('keep one admin key without expiry, when each replica revokes one of the last two', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [here, there] = await accountOnBoth();
      const own = (await here.get<{ data: { hash: string } }>('/v1/key')).body.data.hash;
      const second = (await here.post<Made>(KEYS, { role: 'admin' })).body;
      const answers = await Promise.all([
        here.delete(`${KEYS}/${own}`),
        there.as(second.key).delete(`${KEYS}/${second.data.hash}`),
      ]);
      expect(answers.map(({ status }) => status).sort()).not.toEqual([200, 200]);
    }
  });

  it('are none of a user who departs, also when the other replica makes one meanwhile', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [here, there] = await accountOnBoth();
      await here.put('/v1/members/bob', undefined);
      const { key, hash } = madeString('mk-v1-');
      await Promise.all([
        here.delete('/v1/members/bob'),
        there.put(`${KEYS}/${hash}`, { role: 'admin', user_id: 'bob' }),
      ]);
      const shutOut = async () => (await statusOf(there.as(key))) === 401;
      await eventually('no key lives', shutOut, KNOWN_WITHIN_MS);
      expect((await here.get(KEYS)).body).toMatchObject({ total_count: 1 });
    }
  });
});
