import { describe, expect, it } from '@jest/globals';
import { CommandBus } from '@nestjs/cqrs';
import { AddMember, CreateManagementKey } from '../../src/features/accounts/accounts.commands.js';
import type { Quota } from '../../src/kernel/errors.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import type { Answer } from '../support/harness/http-client.js';
import { OPERATOR, runningApp, type TestAccount } from '../support/harness/running-app.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

const SETTINGS = {
  QUOTA_WORKSPACES: '3',
  QUOTA_MANAGEMENT_KEYS: '2',
  QUOTA_MEMBERS: '4',
  QUOTA_WORKSPACE_MEMBERS: '5',
  QUOTA_API_KEYS: '2',
};

describe('the quotas of an account', () => {
  const service = runningApp(SETTINGS);

  function expectUsedUp(answer: Answer, quota: Quota, limit: number): void {
    expect(answer).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 409,
          message: 'A quota of the account is used up',
          metadata: { reason: 'quota-exceeded', quota, limit },
        },
      },
    });
  }

  async function addMember({ accountId }: TestAccount, userId: string): Promise<void> {
    await service.app.get(CommandBus).execute(new AddMember(accountId, userId, OPERATOR));
  }

  it('stop the workspace after the last, however many are asked for at once, and a deletion makes room', async () => {
    const { client } = await service.openAccount();
    const other = await service.openAccount();
    const asked = await Promise.all(
      Array.from({ length: 8 }, (_, index) => client.post('/v1/workspaces', { name: `w${index}` })),
    );
    const made = asked.filter(({ status }) => status === 201);
    expect(made).toHaveLength(2);
    for (const answer of asked) {
      if (answer.status !== 201) expectUsedUp(answer, 'workspaces', 3);
    }
    expect((await client.get<{ total_count: number }>('/v1/workspaces')).body.total_count).toBe(3);
    expect(await client.post('/v1/workspaces', { name: '' })).toMatchObject({ status: 400 });
    expect(await client.post('/v1/workspaces', { name: 'w', slug: 'default' })).toMatchObject({
      body: { error: { metadata: { reason: 'workspace-slug-taken' } } },
    });
    expect(await other.client.post('/v1/workspaces', { name: 'w' })).toMatchObject({ status: 201 });
    const [first] = made as Answer<{ data: { id: string } }>[];
    expect(await client.delete(`/v1/workspaces/${first?.body.data.id}`)).toMatchObject({
      status: 200,
    });
    expect(await client.post('/v1/workspaces', { name: 'w' })).toMatchObject({ status: 201 });
    expectUsedUp(await client.post('/v1/workspaces', { name: 'w' }), 'workspaces', 3);
  });

  it('stop memberships of all workspaces together, all or none of a request', async () => {
    const account = await service.openAccount();
    for (const user of ['a', 'b', 'c']) await addMember(account, user);
    const { client, userId } = account;
    const [one, two] = [
      await makeWorkspace(service, account),
      await makeWorkspace(service, account),
    ];
    const add = (workspace: string, ...user_ids: string[]): Promise<Answer> =>
      client.post(`/v1/workspaces/${workspace}/members/add`, { user_ids });
    expect(await add(one, 'a', 'b', 'c')).toMatchObject({ body: { added_count: 3 } });
    expectUsedUp(await add(two, 'a', 'b', userId), 'workspace-members', 5);
    expect(await client.get(`/v1/workspaces/${two}/members`)).toMatchObject({
      body: { data: [], total_count: 0 },
    });
    expect(await add(two, 'a', 'b')).toMatchObject({ body: { added_count: 2 } });
    expect(await add(two, 'a', 'b')).toMatchObject({ body: { added_count: 0 } });
    expectUsedUp(await add(two, 'c'), 'workspace-members', 5);
  });

  it('stop members and management keys', async () => {
    const account = await service.openAccount();
    for (const user of ['a', 'b', 'c']) await addMember(account, user);
    await expect(addMember(account, 'd')).rejects.toMatchObject({
      code: 'quota-exceeded',
      details: { quota: 'members', limit: 4 },
    });
    const addKey = (hash: string): Promise<void> =>
      service.app
        .get(CommandBus)
        .execute(
          new CreateManagementKey(account.accountId, { hash, user_id: 'a', name: null }, OPERATOR),
        );
    await addKey(`${account.accountId}-2`);
    await expect(addKey(`${account.accountId}-3`)).rejects.toMatchObject({
      code: 'quota-exceeded',
      details: { quota: 'management-keys', limit: 2 },
    });
  });

  it('stop API keys once they are counted, before the workspace is looked for, and a deletion makes room', async () => {
    const { client } = await service.openAccount();
    const create = (body: object = {}): Promise<Answer<{ data: { hash: string } }>> =>
      client.post('/v1/keys', { name: 'k', ...body });
    const first = await create();
    expect([first.status, (await create()).status]).toEqual([201, 201]);
    // The list waits until the directory has the created keys.
    await client.get('/v1/keys?include_disabled=true');
    expectUsedUp(await create(), 'api-keys', 2);
    expectUsedUp(await create({ workspace_id: 'none' }), 'api-keys', 2);
    expect(await create({ name: '' })).toMatchObject({ status: 400 });
    await client.patch(`/v1/keys/${first.body.data.hash}`, { disabled: true });
    expectUsedUp(await create(), 'api-keys', 2);
    await client.delete(`/v1/keys/${first.body.data.hash}`);
    await client.get('/v1/keys');
    expect((await create()).status).toBe(201);
  });

  it('stop the command line, which names the quota', async () => {
    const { accountId } = await service.openAccount();
    const settings = { ...service.backends.settings, ...SETTINGS };
    const run = (...args: string[]): ReturnType<typeof keyledgerHere> =>
      keyledgerHere(settings, ...args, '--account', accountId);
    for (const user of ['a', 'b', 'c']) {
      expect(await run('members', 'add', '--user', user)).toMatchObject({ code: 0 });
    }
    expect(await run('members', 'add', '--user', 'd')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'keyledger: A quota of the account is used up: members, 4 at most\n',
    });
    expect(await run('management-keys', 'create', '--user', 'a')).toMatchObject({ code: 0 });
    expect(await run('management-keys', 'create', '--user', 'a')).toMatchObject({
      code: 1,
      stderr: 'keyledger: A quota of the account is used up: management-keys, 2 at most\n',
    });
  }, 60_000);
});
