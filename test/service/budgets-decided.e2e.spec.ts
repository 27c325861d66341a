import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { KeyReader } from '../../src/features/verification/known-keys/key-reader.js';
import type { VerificationRecord } from '../../src/features/verification/verification.fields.js';
import { type CreatedKey, createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { type Answer, HttpClient } from '../support/harness/http-client.js';
import { reportUsage } from '../support/harness/report-usage.js';
import { accountOfEach, runningApp } from '../support/harness/running-app.js';

const service = runningApp({ RATE_LIMIT_WRITES: '1000/60s' });
const account = accountOfEach(service);

interface Refused {
  readonly error: { readonly metadata: Readonly<Record<string, unknown>> };
}

const WORKSPACE = '/v1/workspaces/default/budget';
const COMMON = '/v1/end-user-budget';
const ADA = '/v1/end-users/ada/budget';

describe('the budgets of an account', () => {
  let created: CreatedKey;

  beforeEach(async () => {
    created = await createKey(account.client);
    await account.client.put('/v1/end-users/ada', undefined);
  });

  async function put(path: string, limit: number, more: object = {}): Promise<void> {
    const { status } = await account.client.put(path, { limit, ...more });
    expect([200, 201]).toContain(status);
  }

  async function remove(path: string): Promise<void> {
    expect(await account.client.delete(path)).toMatchObject({ status: 200 });
  }

  const spend = (cost: number, { data }: CreatedKey, user: string | null = null) =>
    reportUsage(account.client, { key_hash: data.hash, cost, user });

  async function verify({ key }: CreatedKey, user?: string): Promise<VerificationRecord> {
    const question = { key, ...(user !== undefined && { user }) };
    const answer = await account.client.post<{ data: VerificationRecord }>(
      '/v1/keys/verify',
      question,
    );
    expect(answer).toMatchObject({ status: 200 });
    return answer.body.data;
  }

  function authorize(
    { key }: CreatedKey,
    user = '',
    path = '?limit_status=429&',
  ): Promise<Answer<Refused>> {
    const headers = { 'Keyledger-Authorization': `Bearer ${account.managementKey}` };
    return service.client.as(key).get(`/v1/authorize${path}user=${user}`, { headers });
  }

  async function isActive({ key }: CreatedKey): Promise<unknown> {
    const client = new HttpClient(service.address, account.managementKey);
    const answer = await client.post<{ active: boolean }>(
      '/v1/oauth/introspect',
      Buffer.from(`token=${key}`),
      { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
    );
    return answer.body.active;
  }

  it('let a use pass only if all of them do, and say which of them refuses it first', async () => {
    const limited = await createKey(account.client, { limit: 5 });
    await put(WORKSPACE, 3, { limit_reset: 'daily' });
    await put(COMMON, 2);
    await spend(1, limited, 'bob');
    expect(await verify(limited, 'bob')).toMatchObject({
      code: 'VALID',
      limit_remaining: 1,
      key: { limit_remaining: 4 },
    });
    expect(await verify(limited)).toMatchObject({ limit_remaining: 2 });
    expect((await authorize(limited, 'bob')).headers.get('keyledger-limit-remaining')).toBe('1');
    await spend(1, limited, 'bob');
    expect(await verify(limited, 'bob')).toMatchObject({
      valid: false,
      code: 'LIMIT_EXCEEDED',
      key: { limit_remaining: 3 },
      limit_remaining: 0,
      exceeded: { scope: 'end-user', interval: 'lifetime', limit: 2, usage: 2, resets_at: null },
    });
    expect(await verify(limited, 'eve')).toMatchObject({ code: 'VALID', limit_remaining: 1 });
    await spend(1.5, limited);
    expect(await verify(limited, 'eve')).toMatchObject({
      code: 'LIMIT_EXCEEDED',
      exceeded: { scope: 'workspace', interval: 'daily', limit: 3, usage: 3.5 },
    });
    expect(await verify(limited, 'bob')).toMatchObject({ exceeded: { scope: 'end-user' } });
    await spend(2, limited);
    expect(await verify(limited, 'bob')).toMatchObject({
      key: { limit_remaining: 0 },
      exceeded: { scope: 'key', limit: 5, usage: 5.5 },
    });
  });

  it.each([
    ['the workspace', WORKSPACE, undefined],
    ['each end user', COMMON, 'bob'],
    ['one end user', ADA, 'ada'],
  ])(
    'of %s decide at once when they change, and no key is looked up again',
    async (_, path, user) => {
      await spend(1, created, user);
      await verify(created, user);
      const reads = jest.spyOn(service.app.get(KeyReader), 'readApiKey');
      for (let round = 0; round < 5; round += 1) {
        for (const limit of [0, 1, 2, 0.5]) {
          await put(path, limit);
          const code = limit > 1 ? 'VALID' : 'LIMIT_EXCEEDED';
          expect(await verify(created, user)).toMatchObject({ code });
        }
        await remove(path);
        expect(await verify(created, user)).toMatchObject({ code: 'VALID', limit_remaining: null });
      }
      expect(reads).not.toHaveBeenCalled();
      reads.mockRestore();
    },
  );

  it('of an end user take the place of the common one, whichever is less', async () => {
    await put(COMMON, 1);
    await spend(1, created, 'ada');
    expect(await verify(created, 'ada')).toMatchObject({ exceeded: { limit: 1 } });
    await put(ADA, 2);
    expect(await verify(created, 'ada')).toMatchObject({ code: 'VALID', limit_remaining: 1 });
    await put(ADA, 0);
    await put(COMMON, 9);
    expect(await verify(created, 'ada')).toMatchObject({ exceeded: { limit: 0 } });
    await remove(ADA);
    expect(await verify(created, 'ada')).toMatchObject({ limit_remaining: 8 });
    expect(await account.client.patch('/v1/end-users/ada', { is_active: false })).toMatchObject({
      status: 200,
    });
    expect(await verify(created, 'ada')).toMatchObject({ code: 'VALID', limit_remaining: 8 });
  });

  it('of the one for whom a key was made hold and are spent whoever is named, also in an introspection', async () => {
    const made = await createKey(account.client, { external: { user: 'ada' } });
    await put(COMMON, 5);
    await put(ADA, 1);
    expect(await isActive(made)).toBe(true);
    await spend(1, made, 'bob');
    await spend(2, made);
    for (const user of [undefined, 'bob'])
      expect(await verify(made, user)).toMatchObject({ exceeded: { scope: 'end-user', usage: 3 } });
    expect(await verify(created, 'bob')).toMatchObject({ code: 'VALID', limit_remaining: 5 });
    expect(await verify(created, 'ada')).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect([await isActive(made), await isActive(created)]).toEqual([false, true]);
    await put(WORKSPACE, 0);
    expect(await isActive(created)).toBe(false);
  });

  it('are told to the client of a gateway, but not those of its team', async () => {
    await put(COMMON, 1, { limit_reset: 'daily' });
    await spend(2, created, 'bob');
    const ofUser = await authorize(created, 'bob');
    errorOf(ofUser, 429);
    expect(ofUser.headers.get('keyledger-code')).toBe('LIMIT_EXCEEDED');
    expect(Number(ofUser.headers.get('retry-after'))).toBeGreaterThan(0);
    const { resets_at, ...shown } = ofUser.body.error.metadata;
    expect(resets_at).toMatch(/T00:00:00\.000Z$/);
    const reason = 'limit-exceeded';
    expect(shown).toEqual({ reason, scope: 'end-user', interval: 'daily', limit: 1, usage: 2 });
    await put(WORKSPACE, 1);
    const ofTeam = await authorize(created);
    errorOf(ofTeam, 429);
    expect(ofTeam.body.error.metadata).toEqual({
      reason,
      scope: 'workspace',
      interval: 'lifetime',
      resets_at: null,
    });
    expect(ofTeam.headers.get('retry-after')).toBe('60');
    expect(await verify(created)).toMatchObject({ exceeded: { limit: 1, usage: 2 } });
  });

  it('of a workspace hold for keys while they are in it: a move takes nothing along', async () => {
    const { body } = await account.client.post<{ data: { id: string } }>('/v1/workspaces', {
      name: 'Lab',
      slug: 'lab',
    });
    const lab = body.data.id;
    const members = { user_ids: [account.userId] };
    await account.client.post('/v1/workspaces/lab/members/add', members);
    await put('/v1/workspaces/lab/budget', 1);
    await put(WORKSPACE, 3);
    await spend(2, created);
    expect(await verify(created)).toMatchObject({ limit_remaining: 1 });
    const move = (workspace_id: string) =>
      account.client.patch(`/v1/keys/${created.data.hash}`, { workspace_id });
    expect(await move(lab)).toMatchObject({ status: 200 });
    expect(await verify(created)).toMatchObject({ code: 'VALID', limit_remaining: 1 });
    await spend(1, created);
    expect(await verify(created)).toMatchObject({ exceeded: { scope: 'workspace', usage: 1 } });
    expect(await move(account.defaultWorkspaceId)).toMatchObject({ status: 200 });
    expect(await verify(created)).toMatchObject({ code: 'VALID', limit_remaining: 1 });
    const read = (path: string) => account.client.get(path);
    expect(await read(WORKSPACE)).toMatchObject({ body: { data: { usage: 2 } } });
    expect(await read('/v1/workspaces/lab/budget')).toMatchObject({
      body: { data: { usage: 1, limit_remaining: 0 } },
    });
  });
});
