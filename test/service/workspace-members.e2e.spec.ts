import { beforeEach, describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { AddMember, RemoveMember } from '../../src/features/accounts/accounts.commands.js';
import type { KeyRecord } from '../../src/features/keys/key.fields.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { OPERATOR, runningApp, type TestAccount } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { createWorkspace, type MemberList } from '../support/harness/workspace-routes.js';

const ROUNDS = 40;

describe('the members of a workspace', () => {
  const service = runningApp();
  let account: TestAccount;
  let workspace: string;

  beforeEach(async () => {
    account = await service.openAccount();
    for (const user of ['bob', 'cy']) await join(user);
    workspace = (await createWorkspace(account.client)).id;
  });

  function join(user: string): Promise<void> {
    return service.app.get(CommandBus).execute(new AddMember(account.accountId, user, OPERATOR));
  }

  function change(verb: 'add' | 'remove', user_ids: unknown, named = workspace): Promise<Answer> {
    return account.client.post(`/v1/workspaces/${named}/members/${verb}`, { user_ids });
  }

  async function members(named = workspace): Promise<MemberList> {
    const answer = await account.client.get<MemberList>(`/v1/workspaces/${named}/members`);
    expect(answer.status).toBe(200);
    return answer.body;
  }

  function list(...users: string[]): MemberList {
    return { data: users.map((user_id) => ({ user_id })), total_count: users.length };
  }

  it('are none at first, and then the added ones, in that order', async () => {
    expect(await members()).toEqual(list());
    const added = await change('add', ['cy', 'bob', 'cy']);
    expect(added).toMatchObject({ status: 200 });
    expect(added.body).toEqual({ data: [{ user_id: 'cy' }, { user_id: 'bob' }], added_count: 2 });
    expect(await members()).toEqual(list('cy', 'bob'));
    const more = await change('add', ['bob', account.userId]);
    expect(more.body).toEqual({ data: [{ user_id: account.userId }], added_count: 1 });
    expect(await members()).toEqual(list('cy', 'bob', account.userId));
  });

  it('are removed, and who is no member already is no error', async () => {
    await change('add', ['bob', 'cy']);
    const removed = await change('remove', ['bob', account.userId, 'bob']);
    expect(removed).toMatchObject({ status: 200, body: { removed_count: 1 } });
    expect(removed.text).toBe('{"removed_count":1}');
    expect(await members()).toEqual(list('cy'));
    const before = await stateOf(service);
    expect((await change('remove', ['bob'])).body).toEqual({ removed_count: 0 });
    expect((await change('add', ['cy'])).body).toEqual({ data: [], added_count: 0 });
    expect(await stateOf(service)).toEqual(before);
  });

  it('are changed all or not at all: a stranger to the account is 400 and named', async () => {
    await change('add', ['bob']);
    const before = await stateOf(service);
    for (const verb of ['add', 'remove'] as const) {
      const { metadata, paths } = errorOf(await change(verb, ['bob', 'eve', 'cy', 'mallory']), 400);
      expect(paths).toEqual(['user_ids']);
      expect(metadata).toMatchObject({ user_ids: ['eve', 'mallory'] });
    }
    expect(await stateOf(service)).toEqual(before);
  });

  it.each([
    undefined,
    null,
    'bob',
    [],
    [''],
    [5],
    [null],
    Array(101).fill('bob'),
    [`${'💶'.repeat(512)}x`],
    ['a\0'],
    ['bob', '\ud800'],
  ])('are not changed by %j', async (user_ids) => {
    for (const verb of ['add', 'remove'] as const) {
      const { message, paths } = errorOf(await change(verb, user_ids), 400);
      // A user who is no member of the account gets another message.
      expect({ message, paths }).toEqual({ message: 'Invalid request', paths: ['user_ids'] });
    }
  });

  it('are listed page by page, with the count of all', async () => {
    await change('add', ['bob', 'cy', account.userId]);
    const all = ['bob', 'cy', account.userId].map((user_id) => ({ user_id }));
    const page = async (query: string, named = workspace): Promise<MemberList> =>
      (await account.client.get<MemberList>(`/v1/workspaces/${named}/members?${query}`)).body;
    expect(await page('limit=2')).toEqual({ data: all.slice(0, 2), total_count: 3 });
    expect(await page('offset=2&limit=1')).toEqual({ data: all.slice(2), total_count: 3 });
    expect(await page('offset=3')).toEqual({ data: [], total_count: 3 });
    expect(await page(`offset=${'9'.repeat(400)}`)).toEqual({ data: [], total_count: 3 });
    const second = { data: [{ user_id: 'bob' }], total_count: 3 };
    expect(await page('offset=1&limit=1', 'default')).toEqual(second);
  });

  it('are 100 on a page that says nothing else', async () => {
    const users = Array.from({ length: 101 }, (_, index) => `user-${index}`);
    for (const user of users) await join(user);
    expect((await change('add', users.slice(0, 100))).status).toBe(200);
    expect((await change('add', users.slice(100))).status).toBe(200);
    const { data, total_count } = await members();
    expect({ last: data.at(-1), length: data.length, total_count }).toEqual({
      last: { user_id: 'user-99' },
      length: 100,
      total_count: 101,
    });
  });

  it.each([
    ['offset', 'offset=-1'],
    ['offset', 'offset=1&offset=2'],
    ['limit', 'limit=0'],
    ['limit', 'limit=101'],
    ['limit', 'limit=%FF'],
  ])('are not listed with a wrong %s: %s', async (parameter, query) => {
    const answer = await account.client.get(`/v1/workspaces/nowhere/members?${query}`);
    expect(errorOf(answer, 400).paths).toEqual([parameter]);
  });

  it('may have ids of 512 code points', async () => {
    const longest = '💶'.repeat(512);
    await join(longest);
    await change('add', [longest]);
    expect(await members()).toEqual(list(longest));
  });

  it('of the default workspace are those of the account, and are not changed here', async () => {
    const all = list(account.userId, 'bob', 'cy');
    expect(await members('default')).toEqual(all);
    expect(await members(account.defaultWorkspaceId)).toEqual(all);
    for (const verb of ['add', 'remove'] as const) {
      errorOf(await change(verb, ['bob'], 'default'), 403);
      errorOf(await change(verb, ['stranger'], 'default'), 403);
    }
    expect(await members('default')).toEqual(all);
  });

  it('of a workspace that does not exist are not found', async () => {
    errorOf(await account.client.get('/v1/workspaces/nowhere/members'), 404);
    for (const verb of ['add', 'remove'] as const) {
      errorOf(await change(verb, ['bob'], 'nowhere'), 404);
      expect(errorOf(await change(verb, [], 'nowhere'), 400).paths).toEqual(['user_ids']);
    }
  });

  it('leave it when they leave the account', async () => {
    await change('add', ['bob', 'cy']);
    const remove = new RemoveMember(account.accountId, 'bob', OPERATOR);
    await service.app.get(CommandBus).execute(remove);
    expect(await members()).toEqual(list('cy'));
    expect(await members('default')).toEqual(list(account.userId, 'cy'));
    errorOf(await change('add', ['bob']), 400);
  });

  it('of an individual account can only be its user', async () => {
    const solo = await service.openAccount('individual');
    const { id } = await createWorkspace(solo.client);
    const path = `/v1/workspaces/${id}/members/add`;
    errorOf(await solo.client.post(path, { user_ids: ['bob'] }), 400);
    const added = await solo.client.post(path, { user_ids: [solo.userId] });
    expect(added.body).toMatchObject({ added_count: 1 });
  });

  it('who are removed while a key of theirs moves in: the move is decided before, or refused', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { data } = await createKey(account.client, { creator_user_id: 'bob' });
      const path = `/v1/keys/${data.hash}`;
      await change('add', ['bob']);
      const move = { workspace_id: workspace };
      const calls = [() => change('remove', ['bob']), () => account.client.patch(path, move)];
      const [first, second] = round % 2 === 0 ? calls : calls.reverse();
      const answers = await Promise.all([first?.(), second?.()]);
      const [removed, moved] = round % 2 === 0 ? answers : answers.reverse();
      expect(removed?.body).toEqual({ removed_count: 1 });
      expect([200, 409]).toContain(moved?.status);
      const after = await account.client.patch<{ data: KeyRecord }>(path, { name: 'after' });
      const home = moved?.status === 200 ? workspace : account.defaultWorkspaceId;
      expect(after.body.data.workspace_id).toBe(home);
      const again = await account.client.patch(path, move);
      expect(again.status).toBe(moved?.status);
    }
  });
});
