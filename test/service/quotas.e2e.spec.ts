import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { NEW_KEY } from '../support/histories/accounts.js';
import { CommandBus } from '@nestjs/cqrs';
import { KEY_FINDER, type KeyFinder } from '../../src/edge/http/callers/bearer-key.js';
import { AddMember } from '../../src/features/accounts/accounts.commands.js';
import { CreateManagementKey } from '../../src/features/accounts/management-keys.commands.js';
import { KeyReader } from '../../src/features/verification/known-keys/key-reader.js';
import type { Quota } from '../../src/kernel/errors.js';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { createKey } from '../support/harness/api-keys.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape, type Scrape } from '../support/harness/exposed-metrics.js';
import type { Answer } from '../support/harness/http-client.js';
import { knownInTime } from '../support/harness/known-in-time.js';
import { OPERATOR, runningApp, type TestAccount } from '../support/harness/running-app.js';
import { makeWorkspace } from '../support/harness/workspaces.js';

const service = runningApp();

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

  it('stop API keys once they are counted, after the workspace is found, and a deletion makes room', async () => {
    const { client } = await service.openAccount();
    const create = (body: object = {}): Promise<Answer<{ data: { hash: string } }>> =>
      client.post('/v1/keys', { name: 'k', ...body });
    const first = await create();
    expect([first.status, (await create()).status]).toEqual([201, 201]);
    // The list waits until the directory has the created keys.
    await client.get('/v1/keys?include_disabled=true');
    expectUsedUp(await create(), 'api-keys', 2);
    expect(await create({ workspace_id: 'none' })).toMatchObject({
      status: 400,
      body: { error: { metadata: { reason: 'workspace-unknown' } } },
    });
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

const ROUNDS = 20;
const IN_A_ROUND = 100;
const READ_AT_ONCE = 4;
/** Several times the number of look-ups that run at once. */
const FLOOD = 80;

describe('a storm of invented keys', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is answered, and hides no key', async () => {
    const { client } = service;
    const inUse = await createKey(client);
    await client.post('/v1/keys/verify', { key: inUse.key });
    const stormed: unknown[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const storm = Array.from({ length: IN_A_ROUND }, () =>
        client.post('/v1/keys/verify', { key: mintKeyString('sk-v1-') }),
      );
      // A key created during the storm, which is in no memory.
      const created = await createKey(client);
      for (const { key } of [created, inUse])
        expect(await client.post('/v1/keys/verify', { key })).toMatchObject({
          body: { data: { code: 'VALID' } },
        });
      for (const { body } of await Promise.all(storm)) stormed.push(body);
    }
    const none = { key: null, limit_remaining: null, exceeded: null };
    const nobodys = { data: { valid: false, code: 'NOT_FOUND', ...none } };
    expect(stormed).toEqual(stormed.map(() => nobodys));
  });
});

describe('a flood of invented keys of gateways', () => {
  const service = runningApp({ TRUSTED_PROXIES: '127.0.0.1' });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('reads 4 keys at once, and takes turns with the look-ups of other addresses', async () => {
    const { accountId, userId } = await service.openAccount();
    const key = mintKeyString('mk-v1-');
    const wanted = { ...NEW_KEY, hash: hashKeyString(key), user_id: userId, name: 'not used yet' };
    const { app, client } = service;
    await app.get(CommandBus).execute(new CreateManagementKey(accountId, wanted, OPERATOR));

    const reader = app.get(KeyReader);
    const managementKey = reader.readManagementKey.bind(reader);
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const read: string[] = [];
    jest.spyOn(reader, 'readManagementKey').mockImplementation(async (hash, turn) => {
      read.push(hash);
      await gate;
      return managementKey(hash, turn);
    });
    const finding = jest.spyOn(app.get<KeyFinder>(KEY_FINDER), 'find');
    const asked = (count: number): Promise<unknown> =>
      eventually(`${count} keys are looked up`, () => finding.mock.calls.length === count);

    const flood = Array.from({ length: FLOOD }, () => {
      const headers = { 'X-Forwarded-For': '192.0.2.1' };
      const invented = `Bearer ${mintKeyString('mk-v1-')}`;
      return client.get('/v1/authorize', {
        headers: { ...headers, 'Keyledger-Authorization': invented },
      });
    });
    await asked(FLOOD);
    const other = client.as(key).get('/v1/keys', { headers: { 'X-Forwarded-For': '192.0.2.2' } });
    await asked(FLOOD + 1);
    await eventually('as many keys are read as may be', () => read.length >= READ_AT_ONCE);
    expect(read).toHaveLength(READ_AT_ONCE);
    open();
    expect(await other).toMatchObject({ status: 200 });
    for (const { status } of await Promise.all(flood)) expect(status).toBe(403);
    expect(read.indexOf(wanted.hash)).toBeLessThan(FLOOD / 2);
  });
});

describe('the metrics of verification', () => {
  async function added(
    action: () => Promise<unknown>,
    ...counters: readonly (readonly [string, Readonly<Record<string, string>>?])[]
  ): Promise<number[]> {
    const valueIn = (seen: Scrape, [name, labels = {}]: (typeof counters)[number]): number =>
      seen.value(name, labels) ?? NaN;
    const before = await scrape(service.client);
    await action();
    const after = await scrape(service.client);
    return counters.map((counter) => valueIn(after, counter) - valueIn(before, counter));
  }

  it('count answers by code, and refused gateways', async () => {
    const { client } = service;
    const { key } = await createKey(client);
    const reads = jest.spyOn(service.app.get(KeyReader), 'readApiKey');
    const verify = (): Promise<unknown> => client.post('/v1/keys/verify', { key });
    const VERIFICATIONS = 'keyledger_verifications_total';
    const counters = [
      [VERIFICATIONS, { code: 'VALID' }],
      [VERIFICATIONS, { code: 'NOT_FOUND' }],
    ] as const;
    expect(await added(verify, ...counters)).toEqual([1, 0]);
    expect(reads).toHaveBeenCalledTimes(1);
    // Memory has the key once it has heard of its creation.
    await knownInTime(async () => {
      reads.mockClear();
      expect(await added(verify, ...counters)).toEqual([1, 0]);
      expect(reads).not.toHaveBeenCalled();
    });
    const invented = { key: mintKeyString('sk-v1-') };
    const ask = (): Promise<unknown> => client.post('/v1/keys/verify', invented);
    expect(await added(ask, ...counters)).toEqual([0, 1]);
    expect(reads).toHaveBeenCalledTimes(1);
    const anyone = (): Promise<unknown> => client.as(key).get('/v1/authorize');
    expect(await added(anyone, ['keyledger_gateway_refusals_total', { key: 'missing' }])).toEqual([
      1,
    ]);
  });

  it('tell how old what is known of keys is', async () => {
    const seen = await scrape(service.client);
    expect(seen.value('keyledger_known_keys_age_seconds')).toBeLessThan(5);
  });
});
