import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { USAGE } from '../../src/event-sourcing/ledger.js';
import { auditEvents } from '../support/harness/audit-events.js';
import { errorOf, expectInvalid } from '../support/harness/error-of.js';
import { eventually } from '../support/harness/eventually.js';
import type { Answer } from '../support/harness/http-client.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { appendUnreadable } from '../support/harness/unreadable-event.js';
import { createWorkspace, type OneWorkspace } from '../support/harness/workspace-routes.js';

interface OneBudget {
  readonly data: Readonly<Record<string, unknown>>;
}

const service = runningApp();
const account = accountOfEach(service);

const COMMON = '/v1/end-user-budget';
const OF_WORKSPACE = '/v1/workspaces/eu/budget';
const OF_END_USER = '/v1/end-users/ada/budget';
const MONTHLY = { limit: 100.5, limit_reset: 'monthly', include_byok_in_limit: true };
const UNSPENT = { usage: 0, byok_usage: 0 };

const read = (path: string): Promise<Answer<OneBudget>> => account.client.get(path);
const set = (path: string, body: unknown): Promise<Answer<OneBudget>> =>
  account.client.put(path, body);
const remove = (path: string): Promise<Answer> => account.client.delete(path);

const reasonOf = (answer: Answer, status: number): string => errorOf(answer, status).reason;

beforeEach(async () => {
  await createWorkspace(account.client, { slug: 'eu' });
  await account.client.put('/v1/end-users/ada', undefined);
});

describe.each([
  [OF_WORKSPACE, 'workspace.budget', 'a workspace', UNSPENT],
  [OF_END_USER, 'end-user.budget', 'an end user', { is_common: false, ...UNSPENT }],
  [COMMON, 'account.end-user-budget', 'all other end users', {}],
])('the budget at %s', (path, action, _of, shown) => {
  const withRest = (budget: { limit: number }, resets_at: unknown): object =>
    path === COMMON ? budget : { ...budget, ...shown, limit_remaining: budget.limit, resets_at };

  it('is set, read, set again without an event, replaced as a whole, and removed once', async () => {
    expect(reasonOf(await read(path), 404)).toBe('no-budget');
    expect(reasonOf(await remove(path), 404)).toBe('no-budget');
    const created = await set(path, MONTHLY);
    expect(created).toMatchObject({ status: 201 });
    const first = new Date();
    const midnight = Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1);
    const resets_at = new Date(midnight).toISOString();
    expect(created.body.data).toEqual(withRest(MONTHLY, resets_at));
    expect(await read(path)).toMatchObject({ status: 200, body: created.body });
    const before = await stateOf(service);
    expect(await set(path, MONTHLY)).toMatchObject({ status: 200, body: created.body });
    expect(await stateOf(service)).toEqual(before);
    const plain = { limit: 0, limit_reset: null, include_byok_in_limit: false };
    const replaced = await set(path, { limit: 0 });
    expect(replaced.status).toBe(200);
    expect(replaced.body.data).toEqual(withRest(plain, null));
    expect((await read(path)).body).toEqual(replaced.body);
    // Null is as absent.
    const after = await stateOf(service);
    expect((await set(path, { limit: 0, limit_reset: null })).status).toBe(200);
    expect(await stateOf(service)).toEqual(after);
    expect(await remove(path)).toMatchObject({ status: 200, body: { deleted: true } });
    expect(reasonOf(await remove(path), 404)).toBe('no-budget');
    expect(reasonOf(await read(path), 404)).toBe('no-budget');
  });

  it('is in the audit trail with what changed', async () => {
    await set(path, { limit: 5 });
    await set(path, { limit: 5, limit_reset: 'daily' });
    await remove(path);
    const query = `action=${action}-set&action=${action}-removed`;
    const [removed, changed, first] = await auditEvents(account.client, query);
    const added = (field: string, after: unknown) => ({ field, before: null, after });
    const gone = (field: string, before: unknown) => ({ field, before, after: null });
    expect(first?.changes).toEqual([added('limit', 5), added('include_byok_in_limit', false)]);
    expect(changed?.changes).toEqual([added('limit_reset', 'daily')]);
    expect(removed?.changes).toEqual([
      gone('limit', 5),
      gone('limit_reset', 'daily'),
      gone('include_byok_in_limit', false),
    ]);
    expect(removed?.actor).toMatchObject({ type: 'management-key', user_id: account.userId });
    const [type] = action.split('.');
    expect([first, changed, removed].map((event) => event?.target.type)).toEqual(
      Array<unknown>(3).fill(type),
    );
    if (path === COMMON) expect(removed?.target.id).toBe(account.accountId);
  });

  it.each([
    [{}, 'limit'],
    [{ limit: null }, 'limit'],
    [{ limit: '5' }, 'limit'],
    [{ limit: -0.01 }, 'limit'],
    [{ limit: 5, limit_reset: 'yearly' }, 'limit_reset'],
    [{ limit: 5, include_byok_in_limit: null }, 'include_byok_in_limit'],
    [{ limit: 5, limit_remaining: 5 }, 'limit_remaining'],
    [{ limit: 5, '': 5 }, ''],
  ])('is not set by %j', async (body, at) => {
    const before = await stateOf(service);
    expectInvalid(await set(path, body), account, at);
    expect(await stateOf(service)).toEqual(before);
  });

  it('is of this account alone', async () => {
    const other = await service.openAccount();
    await createWorkspace(other.client, { slug: 'eu' });
    await other.client.put('/v1/end-users/ada', undefined);
    await other.client.put(path, { limit: 5 });
    expect(reasonOf(await read(path), 404)).toBe('no-budget');
  });

  it('is new for one of many who set it at once, and for all the same', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => set(path, { limit: 5 })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(19).fill(200), 201]);
  });

  it('is stored while usage is out of reach, and the answer to PUT says so each time', async () => {
    await appendUnreadable(service.app, 'UsageReported', account.accountId, USAGE.log);
    await eventually('the account is parked', async () => {
      return (await account.client.get('/v1/activity')).status === 503;
    });
    const answers = [await set(path, { limit: 5 }), await set(path, { limit: 5 })];
    if (path === COMMON) {
      expect(answers.map(({ status }) => status)).toEqual([201, 200]);
      expect(await read(path)).toMatchObject({ status: 200 });
      return;
    }
    for (const answer of answers) expect(reasonOf(answer, 503)).toBe('stored-usage-unknown');
    expect(reasonOf(await read(path), 503)).toBe('event-unreadable');
    expect(await remove(path)).toMatchObject({ status: 200 });
    expect(reasonOf(await read(path), 404)).toBe('no-budget');
  });
});

describe('the budget of a workspace', () => {
  it('is the same by id and by slug, and leaves the record of the workspace as it was', async () => {
    const before = await account.client.get<OneWorkspace>('/v1/workspaces/eu');
    const byId = `/v1/workspaces/${before.body.data.id}/budget`;
    const { body } = await set(OF_WORKSPACE, MONTHLY);
    expect(await read(byId)).toMatchObject({ status: 200, body });
    expect(await set('/v1/workspaces/default/budget', { limit: 5 })).toMatchObject({ status: 201 });
    expect(await remove(byId)).toMatchObject({ status: 200 });
    expect(reasonOf(await read(OF_WORKSPACE), 404)).toBe('no-budget');
    expect((await account.client.get('/v1/workspaces/eu')).body).toEqual(before.body);
  });

  it('needs a workspace of the account, which is not deleted', async () => {
    const other = await createWorkspace((await service.openAccount()).client);
    await set(OF_WORKSPACE, { limit: 5 });
    await account.client.delete('/v1/workspaces/eu');
    for (const workspace of ['eu', other.id, randomUUID(), 'nowhere']) {
      const path = `/v1/workspaces/${workspace}/budget`;
      for (const answer of [await read(path), await set(path, { limit: 5 }), await remove(path)]) {
        expect(reasonOf(answer, 404)).toBe('not-found');
      }
    }
    await createWorkspace(account.client, { slug: 'eu' });
    expect(reasonOf(await read(OF_WORKSPACE), 404)).toBe('no-budget');
  });

  it('may be one of an individual account too', async () => {
    const { client } = await service.openAccount('individual');
    const path = '/v1/workspaces/default/budget';
    expect(await client.put(path, { limit: 5 })).toMatchObject({ status: 201 });
    expect(await client.get(path)).toMatchObject({ status: 200 });
  });
});

describe('the budget of an end user', () => {
  const OF_NOBODY = '/v1/end-users/nobody/budget';

  it('is their own before the common one, which holds for everybody else', async () => {
    await set(COMMON, { limit: 5, limit_reset: 'daily' });
    for (const path of [OF_END_USER, OF_NOBODY]) {
      const { status, body } = await read(path);
      expect(status).toBe(200);
      expect(body.data).toMatchObject({
        limit: 5,
        limit_remaining: 5,
        is_common: true,
        ...UNSPENT,
      });
      expect(body.data['resets_at']).not.toBeNull();
      expect(reasonOf(await remove(path), 404)).toMatch(
        path === OF_NOBODY ? 'not-found' : 'no-budget',
      );
    }
    expect(await set(OF_END_USER, { limit: 7 })).toMatchObject({ status: 201 });
    expect((await read(OF_END_USER)).body.data).toMatchObject({ limit: 7, is_common: false });
    expect((await read(OF_NOBODY)).body.data).toMatchObject({ limit: 5, is_common: true });
    await remove(COMMON);
    expect((await read(OF_END_USER)).body.data).toMatchObject({ limit: 7, is_common: false });
    expect(reasonOf(await read(OF_NOBODY), 404)).toBe('no-budget');
    await set(COMMON, { limit: 6 });
    await remove(OF_END_USER);
    expect((await read(OF_END_USER)).body.data).toMatchObject({ limit: 6, is_common: true });
  });

  it('needs a registered end user to be set, active or not', async () => {
    expect(reasonOf(await set(OF_NOBODY, { limit: 5 }), 404)).toBe('not-found');
    expect(reasonOf(await remove(OF_NOBODY), 404)).toBe('not-found');
    expect(reasonOf(await read(OF_NOBODY), 404)).toBe('no-budget');
    await account.client.delete('/v1/end-users/ada');
    expect(await set(OF_END_USER, { limit: 5 })).toMatchObject({ status: 201 });
    expect(await remove(OF_END_USER)).toMatchObject({ status: 200 });
  });

  it('leaves the record of the end user as it was, also in the list', async () => {
    const records = (): Promise<Answer[]> =>
      Promise.all(['', '/ada'].map((more) => account.client.get(`/v1/end-users${more}`)));
    const before = await records();
    await set(OF_END_USER, { limit: 5 });
    const after = await records();
    expect(after.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
  });

  it.each(['%20ada', 'a%00', 'a'.repeat(513)])('is of no tracking ID like %s', async (user) => {
    const path = `/v1/end-users/${user}/budget`;
    for (const answer of [await read(path), await set(path, { limit: 5 }), await remove(path)]) {
      expectInvalid(answer, account, 'user');
    }
  });

  it('is not there in an individual account', async () => {
    const { client } = await service.openAccount('individual');
    for (const path of [COMMON, OF_END_USER]) {
      for (const answer of [
        await client.get(path),
        await client.put(path, { limit: 5 }),
        await client.delete(path),
      ]) {
        expect(reasonOf(answer, 404)).toBe('organization-required');
      }
    }
  });
});

describe('changes of budgets', () => {
  const limited = runningApp({ RATE_LIMIT_WRITES: '4/600s' });

  it('count as writes, refused ones too, and reads do not', async () => {
    const { client } = await limited.openAccount();
    expect(await client.delete(COMMON)).toMatchObject({ status: 404 });
    expect(await client.put(COMMON, { limit: -1 })).toMatchObject({ status: 400 });
    expect(await client.put(COMMON, { limit: 1 })).toMatchObject({ status: 201 });
    expect(await client.get(COMMON)).toMatchObject({ status: 200 });
    expect(await client.delete(COMMON)).toMatchObject({ status: 200 });
    const refused = errorOf(await client.put(COMMON, { limit: 1 }), 429);
    expect(refused.metadata).toEqual({ limit: 'writes' });
  });
});
