import { beforeAll, describe, expect, it } from '@jest/globals';
import type { KeyRecord } from '../../src/features/keys/key.fields.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { runningApp, type TestAccount } from '../support/harness/running-app.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

describe('a search for keys finds them', () => {
  const service = runningApp();

  async function expectPage(
    query: string,
    hashes: readonly string[],
    { client }: TestAccount,
  ): Promise<void> {
    const { status, body } = await client.get<{ data: KeyRecord[]; total_count: number }>(
      `/v1/keys${query}`,
    );
    expect(status).toBe(200);
    expect(body.data.map(({ hash }) => hash)).toEqual(hashes);
    expect(body.total_count).toBe(hashes.length);
  }

  let account: TestAccount;
  let workspace_id: string;
  /** Hashes of the keys by the order of their creation. */
  const made: string[] = [];

  beforeAll(async () => {
    account = await service.openAccount('individual');
    workspace_id = await makeWorkspace(service, account);
    for (const fields of [
      { creator_user_id: 'a/b' },
      { creator_user_id: 'a/b', workspace_id },
      { creator_user_id: 'A/b', external: { user: 'a/b' } },
      { creator_user_id: 'a/b ', external: { user: 'a/b' }, workspace_id },
      { creator_user_id: '💶'.repeat(512), external: { user: 'e\u0301' } },
      { creator_user_id: 'a/b', external: { user: '\u00e9' } },
    ]) {
      made.push((await createKey(account.client, fields)).data.hash);
    }
    await account.client.patch(`/v1/keys/${made[5]}`, { disabled: true });
  });

  const found = (query: string, ...indexes: readonly number[]): Promise<void> =>
    expectPage(
      `?${query}`,
      indexes.map((index) => made[index] ?? ''),
      account,
    );

  it.each([
    ['creator_user_id=a%2fb', [1, 0]],
    ['creator_user_id=a%2fb&include_disabled=true', [5, 1, 0]],
    ['creator_user_id=a%2Fb+', [3]],
    ['creator_user_id=b', []],
    ['creator_user_id=A/b', [2]],
    [`creator_user_id=${encodeURIComponent('💶'.repeat(512))}`, [4]],
    ['external_user=a/b', [3, 2]],
    [`external_user=${encodeURIComponent('\u00e9')}&include_disabled=true`, [5]],
    [`external_user=${encodeURIComponent('e\u0301')}`, [4]],
    ['creator_user_id=a/b&workspace_id=all', [1, 0]],
  ])('in every workspace with exactly what %s says', (query, indexes) => found(query, ...indexes));

  it('in one workspace, when that is given too', async () => {
    await found(`creator_user_id=a/b&workspace_id=${workspace_id}`, 1);
    await found(`creator_user_id=a/b&workspace_id=${account.defaultWorkspaceId}`, 0);
    await found(`external_user=a/b&workspace_id=${workspace_id}`, 3);
    const unknown = await account.client.get('/v1/keys?creator_user_id=a/b&workspace_id=none');
    expect(errorOf(unknown, 400).message).toBe('Unknown workspace');
  });

  it('in their own account alone', async () =>
    expectPage('?creator_user_id=a/b&include_disabled=true', [], await service.openAccount()));

  it('as they are now: moved, disabled, enabled, deleted, and where a workspace was deleted', async () => {
    const one = await service.openAccount('individual');
    const there = await makeWorkspace(service, one);
    const fields = { creator_user_id: 'ada', external: { user: 'u' }, workspace_id: there };
    const { hash } = (await createKey(one.client, fields)).data;
    const at = async (more: string, isFound: boolean): Promise<void> => {
      for (const filter of ['creator_user_id=ada', 'external_user=u'])
        await expectPage(`?${filter}${more}`, isFound ? [hash] : [], one);
    };
    const path = `/v1/keys/${hash}`;
    await at('', true);
    await at(`&workspace_id=${there}`, true);
    await one.client.patch(path, { workspace_id: one.defaultWorkspaceId });
    await at(`&workspace_id=${there}`, false);
    await one.client.delete(`/v1/workspaces/${there}`);
    await at('', true);
    await one.client.patch(path, { disabled: true });
    await at('', false);
    await at('&include_disabled=true', true);
    await one.client.patch(path, { disabled: false });
    await at('', true);
    await one.client.delete(path);
    await at('&include_disabled=true', false);
  });
});
