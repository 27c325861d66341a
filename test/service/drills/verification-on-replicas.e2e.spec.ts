import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from '@jest/globals';
import type { VerificationRecord } from '../../../src/features/verification/verification.fields.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { createKey, type CreatedKey } from '../../support/harness/api-keys.js';
import { eventually } from '../../support/harness/eventually.js';
import type { HttpClient } from '../../support/harness/http-client.js';
import { createWorkspace } from '../../support/harness/workspace-routes.js';
import { replicasOnServers } from '../../support/harness/replicas-on-servers.js';

const REPLICAS = 3;
const ROUNDS = 40;
const KNOWN_WITHIN_MS = 1_000;
const MAX_STALENESS_MS = 2_000;
const ANSWERED_WITHIN_MS = 20_000;

type Code = VerificationRecord['code'];

describeOnMongoDb('verification on replicas', (store) => {
  const servers = replicasOnServers(REPLICAS, store, {
    VERIFY_MAX_STALENESS: `${MAX_STALENESS_MS}ms`,
  });
  let clients: readonly HttpClient[];
  let client: HttpClient;

  beforeAll(() => {
    ({ clients } = servers);
    ({ client } = servers.first);
  });

  /** Gives a replica's code for a key; its status if the status is not 200. */
  async function ask(replica: HttpClient, { key }: CreatedKey, more = {}): Promise<Code | number> {
    const answer = await replica.post<{ data: VerificationRecord }>('/v1/keys/verify', {
      key,
      ...more,
    });
    return answer.status === 200 ? answer.body.data.code : answer.status;
  }

  async function expectEverywhere(created: CreatedKey, code: Code, more = {}): Promise<void> {
    const answered = performance.now();
    await Promise.all(
      clients.map((replica) =>
        eventually(`${code} is known`, async () => {
          const begun = performance.now();
          const found = await ask(replica, created, more);
          if (found === code) return true;
          expect(begun - answered).toBeLessThan(KNOWN_WITHIN_MS);
          return false;
        }),
      ),
    );
  }

  /** Makes a workspace to which keys of the caller may be moved. */
  async function workspaceToMoveTo(): Promise<string> {
    const { id, slug } = await createWorkspace(client);
    const { body } = await client.get<{ data: { creator_user_id: string } }>('/v1/key');
    const members = { user_ids: [body.data.creator_user_id] };
    const joined = await client.post(`/v1/workspaces/${slug}/members/add`, members);
    expect(joined).toMatchObject({ status: 200 });
    return id;
  }

  it('knows every change within a second of its answer, under load', async () => {
    const workspace_id = await workspaceToMoveTo();
    let isOver = false;
    const load = clients.map(async (replica) => {
      while (!isOver) await replica.post('/v1/end-users', { user: randomUUID() });
    });
    for (let round = 0; round < ROUNDS; round += 4) {
      const created = await createKey(client);
      const path = `/v1/keys/${created.data.hash}`;
      await expectEverywhere(created, 'VALID');
      const writer = clients[round % REPLICAS] ?? client;
      const change = async (changes: object): Promise<void> =>
        expect(await writer.patch(path, changes)).toMatchObject({ status: 200 });
      await change({ disabled: true });
      await expectEverywhere(created, 'DISABLED');
      await change({ disabled: false, limit: 0 });
      await expectEverywhere(created, 'LIMIT_EXCEEDED');
      await change({ limit: null, workspace_id });
      await expectEverywhere(created, 'VALID', { workspace_id });
      expect(await writer.delete(path)).toMatchObject({ status: 200 });
      await expectEverywhere(created, 'NOT_FOUND');
    }
    isOver = true;
    await Promise.all(load);
  }, 180_000);

  it('knows every budget within a second of its answer', async () => {
    const created = await createKey(client);
    const more = { user: 'ada' };
    await client.put('/v1/end-users/ada', undefined);
    await expectEverywhere(created, 'VALID', more);
    const paths = [
      '/v1/workspaces/default/budget',
      '/v1/end-users/ada/budget',
      '/v1/end-user-budget',
    ];
    for (let round = 0; round < ROUNDS; round += 8) {
      const writer = clients[round % REPLICAS] ?? client;
      for (const path of paths) {
        for (const limit of [0, 1, 0]) {
          const { status } = await writer.put(path, { limit });
          expect([200, 201]).toContain(status);
          await expectEverywhere(created, limit === 0 ? 'LIMIT_EXCEEDED' : 'VALID', more);
        }
        expect(await writer.delete(path)).toMatchObject({ status: 200 });
        await expectEverywhere(created, 'VALID', more);
      }
    }
  }, 180_000);

  it('knows a new string at once, and the end of one within a second', async () => {
    for (let round = 0; round < ROUNDS; round += 4) {
      const created = await createKey(client);
      const path = `/v1/keys/${created.data.hash}`;
      await expectEverywhere(created, 'VALID');
      const writer = clients[round % REPLICAS] ?? client;
      const { body } = await writer.post<CreatedKey>(`${path}/rotate`, undefined);
      const answers = await Promise.all(clients.map((replica) => ask(replica, body)));
      expect(answers).toEqual(clients.map(() => 'VALID'));
      expect(await writer.delete(`${path}/strings/${created.data.hash}`)).toMatchObject({
        status: 200,
      });
      await expectEverywhere(created, 'ROTATED');
      const { body: last } = await writer.post<CreatedKey>(`${path}/rotate`, { grace_seconds: 0 });
      await expectEverywhere(body, 'ROTATED');
      await expectEverywhere(last, 'VALID');
    }
  }, 180_000);

  /** A change of a key, with the right codes before and after it. */
  interface Change {
    readonly created: CreatedKey;
    readonly before: Code;
    readonly after: Code;
    readonly more: object | undefined;
  }

  /** Makes keys, and changes each in a different way once every replica knows them. */
  async function changedKeys(): Promise<readonly Change[]> {
    const elsewhere = await workspaceToMoveTo();
    const workspace_id = (await createKey(client)).data.workspace_id;
    const made = (fields = {}): Promise<CreatedKey> => createKey(client, fields);
    const changes = [
      [await made(), { disabled: true }, 'VALID', 'DISABLED'],
      [await made(), { limit: 0 }, 'VALID', 'LIMIT_EXCEEDED'],
      [await made({ limit: 0 }), { limit: null }, 'LIMIT_EXCEEDED', 'VALID'],
      [await made(), { workspace_id: elsewhere }, 'VALID', 'WRONG_WORKSPACE', { workspace_id }],
      [await made(), 'delete', 'VALID', 'NOT_FOUND'],
    ] as const;
    for (const [created, , before, , more] of changes)
      await expectEverywhere(created, before, more);
    await Promise.all(
      changes.map(async ([{ data }, change]) => {
        const path = `/v1/keys/${data.hash}`;
        const answer =
          change === 'delete' ? await client.delete(path) : await client.patch(path, change);
        expect(answer).toMatchObject({ status: 200 });
      }),
    );
    return changes.map(([created, , before, after, more]) => ({ created, before, after, more }));
  }

  it.each([
    ['frozen', () => servers.log.freeze(), () => servers.log.thaw()],
    ['killed', () => servers.log.kill(), () => servers.log.restart()],
  ] as const)(
    'tells no old state for longer than it may when the log server is %s',
    async (_, lose, regain) => {
      const changes = await changedKeys();
      const answered = performance.now();
      await lose();
      const everywhere = (
        what: string,
        look: (replica: HttpClient, change: Change) => Promise<boolean>,
      ): Promise<unknown> =>
        Promise.all(
          clients.flatMap((replica) =>
            changes.map((change) =>
              eventually(what, () => look(replica, change), ANSWERED_WITHIN_MS),
            ),
          ),
        );
      try {
        await everywhere(
          'an answer that is right, or none',
          async (replica, { created, before, after, more }) => {
            const begun = performance.now();
            const code = await ask(replica, created, more);
            expect([before, after, 503]).toContain(code);
            if (code === before) {
              expect(begun - answered).toBeLessThan(MAX_STALENESS_MS);
              return false;
            }
            // A right answer gives way to 503 when the replica's knowledge becomes too old.
            return begun - answered > 2 * MAX_STALENESS_MS;
          },
        );
      } finally {
        await regain();
      }
      await everywhere(
        'the log is back',
        async (replica, { created, after, more }) => (await ask(replica, created, more)) === after,
      );
    },
    90_000,
  );
});
