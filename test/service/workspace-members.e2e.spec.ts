import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { NEW_KEY } from '../support/histories/accounts.js';
import { CommandBus } from '@nestjs/cqrs';
import { AddMember } from '../../src/features/accounts/accounts.commands.js';
import {
  CreateManagementKey,
  RevokeManagementKey,
} from '../../src/features/accounts/management-keys.commands.js';
import type { KeyRecord } from '../../src/features/keys/key-record.js';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { createKey, eventTypesOfKey } from '../support/harness/api-keys.js';
import { auditEvents } from '../support/harness/audit-events.js';
import { goodBodyOf } from '../support/harness/good-requests.js';
import { errorOf } from '../support/harness/error-of.js';
import type { Answer } from '../support/harness/http-client.js';
import { type Route, routesOf } from '../support/harness/routes-of.js';
import { accountOf, accountOfEach, OPERATOR, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { createWorkspace, type MemberList } from '../support/harness/workspace-routes.js';

const service = runningApp();

const ROUNDS = 40;

describe('the members of a workspace', () => {
  const account = accountOfEach(service);
  let workspace: string;

  beforeEach(async () => {
    for (const user of ['bob', 'cy']) await join(user);
    workspace = (await createWorkspace(account.client)).id;
  });

  function join(user: string): Promise<boolean> {
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
      const { metadata, paths } = errorOf(
        await change(verb, ['bob', 'eve', 'cy', 'mallory', 'eve']),
        400,
      );
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
      for (const user of ['bob', 'stranger']) errorOf(await change(verb, [user], 'default'), 403);
      errorOf(await change(verb, ['bob'], account.defaultWorkspaceId), 403);
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

describe('an account', () => {
  const victim = accountOf(service);
  /** The hash of a key of the victim. */
  let hash: string;
  let apiKey: string;
  /** The id of the event that created the API key. */
  let eventId: string;
  /** Every route of the interface. */
  let routes: Route[];

  beforeAll(async () => {
    ({
      data: { hash },
      key: apiKey,
    } = await createKey(victim.client));
    const created = await auditEvents(victim.client, 'action=key.created');
    eventId = created[0]?.id ?? '';
    await victim.client.post('/v1/end-users', { user: 'of-the-victim' });
    routes = routesOf(service.app).filter(({ path }) => path.startsWith('/v1/'));
  });

  function send({ method, path }: Route, key: string | undefined): Promise<Answer> {
    const filled = path
      .replace(':hash', hash)
      // A PUT would register the same tracking ID with another organization, which may have it too.
      .replace(':user', method === 'PUT' ? 'new' : 'of-the-victim')
      .replace(':workspace', victim.defaultWorkspaceId)
      .replace(':string_hash', hashKeyString('nobody has this string'))
      .replace(':id', eventId);
    const body = goodBodyOf(`${method} ${path}`);
    return service.client.as(key).send(method, filled, { ...(method !== 'GET' && { body }) });
  }

  /**
   * Expects that every route refuses a key, and that the log does not change.
   * @param ofItself the expected answer of `GET /v1/key`.
   */
  async function expectLockedOut(
    key: string | undefined,
    status: number,
    ofItself = status,
  ): Promise<void> {
    const before = await stateOf(service);
    expect(routes.length).toBeGreaterThanOrEqual(8);
    for (const route of routes) {
      const answer = await send(route, key);
      const expected = route.path === '/v1/key' ? ofItself : status;
      expect({ route, status: answer.status }).toEqual({ route, status: expected });
      if (expected !== 200) errorOf(answer, expected);
      expect(answer.text).not.toContain('of-the-victim');
    }
    expect(await stateOf(service)).toEqual(before);
  }

  async function revokedKey(): Promise<string> {
    const key = mintKeyString('mk-v1-');
    const commands = service.app.get(CommandBus);
    const { accountId, userId } = victim;
    const keyHash = hashKeyString(key);
    const wanted = { ...NEW_KEY, hash: keyHash, user_id: userId, name: 'to be revoked' };
    await commands.execute(new CreateManagementKey(accountId, wanted, OPERATOR));
    await commands.execute(new RevokeManagementKey(accountId, keyHash, OPERATOR));
    return key;
  }

  it('is closed on every route to a request without a key', () => expectLockedOut(undefined, 401));

  it('is closed on every route to what is no key', async () => {
    const almost = victim.managementKey.slice(0, -1);
    const invented = [mintKeyString('mk-v1-'), mintKeyString('sk-v1-'), almost, 'x', hash];
    for (const key of [...invented, hashKeyString(victim.managementKey)]) {
      await expectLockedOut(key, 401);
    }
  });

  it('is closed on every route to a revoked management key', async () =>
    expectLockedOut(await revokedKey(), 401));

  it('is closed on every route to its own API keys, live, disabled or expired', async () => {
    const disabled = await createKey(victim.client);
    await victim.client.patch(`/v1/keys/${disabled.data.hash}`, { disabled: true });
    const expired = await createKey(victim.client, { expires_at: '2001-01-01T00:00:00Z' });
    await expectLockedOut(apiKey, 403, 200);
    for (const key of [disabled.key, expired.key]) await expectLockedOut(key, 403, 401);
  });

  it('is closed on every route to a deleted API key', async () => {
    const deleted = await createKey(victim.client);
    await victim.client.delete(`/v1/keys/${deleted.data.hash}`);
    await expectLockedOut(deleted.key, 401);
  });

  it('is closed on every route to the API keys of another account', async () => {
    const other = await service.openAccount();
    const { key } = await createKey(other.client);
    await expectLockedOut(key, 403, 200);
    const { text } = await other.client.as(key).get('/v1/key');
    for (const own of [victim.accountId, victim.userId, victim.defaultWorkspaceId])
      expect(text).not.toContain(own);
  });

  it.each(['organization', 'individual'] as const)(
    'is not reached by the management key of another %s on any route',
    async (kind) => {
      const other = await service.openAccount(kind);
      const before = await eventTypesOfKey(service, hash);
      for (const route of routes) {
        const answer = await send(route, other.managementKey);
        // A PUT makes something of one's own, or says that the hash is used.
        const isMade = route.method === 'PUT' && /:(hash|user|user_id)$/.test(route.path);
        // The end user of a tracking ID is one of one's own account, made by the PUT before.
        const isOfOwnUser = route.path === '/v1/end-users/:user/budget';
        if (isMade) expect([201, 404, 409]).toContain(answer.status);
        else if (isOfOwnUser) expect([200, 201, 404]).toContain(answer.status);
        else if (/:(hash|user|workspace|id)/.test(route.path)) errorOf(answer, 404);
        expect(answer.text).not.toContain('of-the-victim');
        expect(answer.text).not.toContain(victim.accountId);
        expect(answer.text).not.toContain(victim.defaultWorkspaceId);
        expect(answer.text).not.toContain(victim.userId);
      }
      expect(await eventTypesOfKey(service, hash)).toEqual(before);
      const listed = await victim.client.get('/v1/end-users');
      expect(listed).toMatchObject({ body: { data: [{ user: 'of-the-victim' }], total_count: 1 } });
      const budget = await victim.client.get('/v1/end-users/of-the-victim/budget');
      expect(errorOf(budget, 404).reason).toBe('no-budget');
    },
  );

  it('has keys that no way of asking about a key tells from keys that nobody has', async () => {
    const { client, managementKey } = await service.openAccount();
    const gateway = { 'Keyledger-Authorization': `Bearer ${managementKey}` };
    /**
     * Asks about a key in every way. Gives the answers without the parts that always differ: the id
     * and the time.
     */
    const ask = async (key: string): Promise<unknown[]> => {
      const named = [{ key }, { hash: hashKeyString(key) }];
      const answers = [
        ...(await Promise.all(named.map((one) => client.post('/v1/keys/verify', one)))),
        await client.post('/v1/oauth/introspect', Buffer.from(`token=${key}`)),
        await service.client.as(key).get('/v1/authorize', { headers: gateway }),
        await service.client.get('/v1/authorize/a', { headers: { ...gateway, 'X-API-Key': key } }),
      ];
      return answers.map(({ status, headers, text }) => {
        const ownHeaders = [...headers].filter(
          ([name]) => !['date', 'x-request-id'].includes(name),
        );
        const id = headers.get('x-request-id') ?? '';
        return { status, headers: ownHeaders, text: text.replace(id, 'ID') };
      });
    };
    const before = await stateOf(service);
    const nobodys = await ask(mintKeyString('sk-v1-'));
    expect(nobodys).toMatchObject([200, 200, 200, 401, 401].map((status) => ({ status })));
    const others = [apiKey, victim.managementKey, managementKey, mintKeyString('mk-v1-')];
    for (const key of others) expect(await ask(key)).toEqual(nobodys);
    expect(await stateOf(service)).toEqual(before);
  });

  it('does not reveal its workspaces, members or keys to others that use them as ids', async () => {
    const other = await service.openAccount();
    const own = await createKey(other.client);
    const before = await stateOf(service);
    const workspace_id = victim.defaultWorkspaceId;
    errorOf(await other.client.post('/v1/keys', { name: 'a', workspace_id }), 400);
    errorOf(await other.client.patch(`/v1/keys/${own.data.hash}`, { workspace_id }), 400);
    errorOf(await other.client.patch(`/v1/keys/${hash}`, { workspace_id }), 404);
    errorOf(await other.client.get(`/v1/keys?workspace_id=${workspace_id}`), 400);
    const managementKeyHash = hashKeyString(other.managementKey);
    errorOf(await other.client.patch(`/v1/keys/${managementKeyHash}`, { name: 'b' }), 404);
    errorOf(await other.client.get(`/v1/keys/${managementKeyHash}`), 404);
    errorOf(await other.client.delete(`/v1/keys/${managementKeyHash}`), 404);
    expect(await stateOf(service)).toEqual(before);
  });
});
