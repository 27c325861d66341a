import { describe, expect, it } from '@jest/globals';
import { createKey, eventTypesOfKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

const ROUNDS = 30;

describe('a key that is deleted while', () => {
  const service = runningApp();

  /** Expects that no route finds a key, and that its deletion is its last event. */
  async function expectGone({ client }: TestAccount, hash: string, key: string): Promise<void> {
    const path = `/v1/keys/${hash}`;
    errorOf(await client.get(path), 404);
    errorOf(await client.patch(path, { name: 'late' }), 404);
    errorOf(await client.delete(path), 404);
    errorOf(await client.as(key).get('/v1/key'), 401);
    const types = await eventTypesOfKey(service, hash);
    expect(types.indexOf('ApiKeyDeleted')).toBe(types.length - 1);
    const { body } = await client.get('/v1/keys?workspace_id=all&include_disabled=true');
    expect(body).toEqual({ data: [], total_count: 0 });
    expect((await client.get('/v1/keys')).body).toEqual({ data: [], total_count: 0 });
  }

  it('it is updated takes each update whole or is not found by it', async () => {
    const account = await service.openAccount();
    const statuses = new Set<number>();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { data, key } = await createKey(account.client);
      const path = `/v1/keys/${data.hash}`;
      const update = (name: string): Promise<Answer> =>
        account.client.patch(path, { name, disabled: round % 2 === 0 });
      const [first, second] = [update('a'), update('b')];
      // A deletion has no body to read, so it would overtake requests that start with it.
      const deletion = first.then(() => account.client.delete(path));
      const late = [first.then(() => update('c')), first.then(() => update('d'))];
      const updates = await Promise.all([first, second, ...late]);
      expect(await deletion).toMatchObject({ status: 200, body: { deleted: true } });
      for (const answer of updates) {
        statuses.add(answer.status);
        if (answer.status !== 200) errorOf(answer, 404);
      }
      await expectGone(account, data.hash, key);
      const renames = updates.filter(({ status }) => status === 200).length;
      const types = await eventTypesOfKey(service, data.hash);
      expect(types.filter((type) => type === 'ApiKeyRenamed')).toHaveLength(renames);
    }
    expect([...statuses]).toEqual(expect.arrayContaining([200, 404]));
  });

  it('it is deleted is deleted once', async () => {
    const account = await service.openAccount();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { data, key } = await createKey(account.client);
      const deletions = await Promise.all(
        Array.from({ length: 4 }, () => account.client.delete(`/v1/keys/${data.hash}`)),
      );
      expect(deletions.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404]);
      await expectGone(account, data.hash, key);
    }
  });

  it('it is moved is counted in neither workspace', async () => {
    const account = await service.openAccount('individual');
    const workspace_id = await makeWorkspace(service, account);
    for (let round = 0; round < ROUNDS; round += 1) {
      const { data, key } = await createKey(account.client);
      const path = `/v1/keys/${data.hash}`;
      const move = (): Promise<Answer> => account.client.patch(path, { workspace_id });
      const remove = (): Promise<Answer> => account.client.delete(path);
      const both = round % 2 === 0 ? [move(), remove()] : [remove(), move()];
      const answers = await Promise.all(both);
      const [moved, removed] = round % 2 === 0 ? answers : answers.toReversed();
      expect(removed).toMatchObject({ status: 200 });
      expect([200, 404]).toContain(moved?.status);
      await expectGone(account, data.hash, key);
      const { body } = await account.client.get(`/v1/keys?workspace_id=${workspace_id}`);
      expect(body).toEqual({ data: [], total_count: 0 });
    }
  });
});
