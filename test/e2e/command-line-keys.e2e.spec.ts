import { beforeEach, describe, expect, it } from '@jest/globals';
import { hashKeyString } from '../../src/key-strings/key-string.js';
import { auditEvents } from '../harness/audit-events.js';
import { createKey } from '../harness/api-keys.js';
import { keyledgerHere, keyledgerHereReading } from '../harness/command-in-process.js';
import type { CommandLineResult } from '../harness/command-line.js';
import { TIME } from '../harness/forms.js';
import { runningApp, type TestAccount } from '../harness/running-app.js';
import { Secrets } from '../harness/secrets.js';
import { storedEvents } from '../harness/stored-events.js';
import { createWorkspace } from '../harness/workspace-routes.js';

type Fields = Readonly<Record<string, unknown>>;

describe('keyledger keys', () => {
  const service = runningApp();
  let account: TestAccount;

  beforeEach(async () => {
    account = await service.openAccount();
  });

  function keys(...args: readonly string[]): Promise<CommandLineResult> {
    return keyledgerHere(service.backends.settings, 'keys', ...args, '--json');
  }

  async function done(...args: readonly string[]): Promise<Fields> {
    const { code, stderr, json } = await keys(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return json as Fields;
  }

  async function create(...options: readonly string[]): Promise<Fields> {
    return done('create', '--account', account.accountId, '--name', 'analytics', ...options);
  }

  /** The key in the form of the route's answer, with its account. */
  async function answered(hash: unknown): Promise<Fields> {
    const { body } = await account.client.get<{ data: Fields }>(`/v1/keys/${String(hash)}`);
    return { account_id: account.accountId, ...body.data };
  }

  it('creates a key that the service knows, and shows its string', async () => {
    const { key, ...created } = await create();
    expect(created).toEqual(await answered(created.hash));
    expect(created).toMatchObject({
      hash: hashKeyString(String(key)),
      name: 'analytics',
      creator_user_id: account.userId,
      workspace_id: account.defaultWorkspaceId,
      limit: null,
      expires_at: null,
    });
    const verified = await account.client.post('/v1/keys/verify', { key });
    expect(verified).toMatchObject({ body: { data: { code: 'VALID' } } });
  });

  it('creates a key with every field that the route takes', async () => {
    const { id } = await createWorkspace(account.client);
    const secrets = new Secrets();
    const lookupKey = secrets.make('the lookup key');
    const { code, json, stderr } = await keyledgerHereReading(
      `${lookupKey}\n`,
      service.backends.settings,
      ...['keys', 'create', '--account', account.accountId, '--name', 'all', '--creator', 'bob'],
      ...['--expires-at', '2027-01-01', '--external-user', 'customer 42', '--lookup-key-stdin'],
      ...['--limit', '2.5', '--limit-reset', 'weekly', '--include-byok-in-limit', 'true'],
      ...['--workspace', id, '--json'],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { key, ...created } = json as Fields;
    secrets.keep('the key', String(key));
    expect(created).toEqual(await answered(created.hash));
    expect(created).toMatchObject({
      name: 'all',
      creator_user_id: 'bob',
      expires_at: '2027-01-01T00:00:00.000Z',
      external_user: { user: 'customer 42' },
      limit: 2.5,
      limit_reset: 'weekly',
      include_byok_in_limit: true,
      workspace_id: id,
    });
    const events = JSON.stringify(await storedEvents(service.backends.settings));
    expect(events).toContain(hashKeyString(lookupKey));
    expect(secrets.foundIn(events)).toEqual([]);
  });

  it('reads a key, also one that is disabled', async () => {
    const { hash } = await create();
    await account.client.patch(`/v1/keys/${String(hash)}`, { disabled: true });
    const read = await done('read', '--hash', String(hash), '--account', account.accountId);
    expect(read).toEqual(await answered(hash));
    expect(read).toMatchObject({ disabled: true, updated_at: expect.stringMatching(TIME) });
  });

  it('updates every field that the route updates, and takes none for null', async () => {
    const { id } = await createWorkspace(account.client);
    await account.client.post(`/v1/workspaces/${id}/members/add`, { user_ids: [account.userId] });
    const { hash } = await create('--limit', '1', '--limit-reset', 'daily');
    const updated = await done(
      ...['update', '--hash', String(hash), '--name', 'renamed', '--disabled', 'true'],
      ...['--limit', 'none', '--limit-reset', 'none', '--include-byok-in-limit', 'true'],
      ...['--workspace', id],
    );
    expect(updated).toEqual(await answered(hash));
    expect(updated).toMatchObject({
      name: 'renamed',
      disabled: true,
      limit: null,
      limit_reset: null,
      include_byok_in_limit: true,
      workspace_id: id,
    });
    const again = await done('update', '--hash', String(hash), '--disabled', 'false');
    expect(again).toMatchObject({ name: 'renamed', disabled: false, limit: null });
  });

  it('deletes a key for good', async () => {
    const { hash } = await create();
    expect(await done('delete', '--hash', String(hash))).toEqual({
      account_id: account.accountId,
      hash,
      deleted: true,
    });
    expect(await account.client.get(`/v1/keys/${String(hash)}`)).toMatchObject({ status: 404 });
    expect(await keys('delete', '--hash', String(hash))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'keyledger: Resource not found\n',
    });
  });

  it('does every change as an operator', async () => {
    const { hash } = await create();
    await done('update', '--hash', String(hash), '--name', 'renamed');
    await done('delete', '--hash', String(hash));
    const events = await auditEvents(account.client, `target_type=key&target_id=${String(hash)}`);
    expect(events.map(({ action }) => action)).toEqual([
      'key.deleted',
      'key.renamed',
      'key.created',
    ]);
    for (const { actor } of events) expect(actor).toMatchObject({ type: 'operator' });
  });

  it('lists keys of every workspace, or of one, newest first', async () => {
    const { id } = await createWorkspace(account.client);
    const first = await createKey(account.client, { name: 'first' });
    const second = await createKey(account.client, { name: 'second', workspace_id: id });
    const third = await createKey(account.client, { name: 'third' });
    await account.client.patch(`/v1/keys/${third.data.hash}`, { disabled: true });
    const list = async (...options: string[]): Promise<Fields> =>
      done('list', '--account', account.accountId, ...options);
    expect(await list()).toEqual({
      data: [await answered(second.data.hash), await answered(first.data.hash)],
      total_count: 2,
    });
    const hashes = ({ data }: Fields): unknown[] => (data as Fields[]).map(({ hash }) => hash);
    expect(hashes(await list('--workspace', id))).toEqual([second.data.hash]);
    expect(hashes(await list('--include-disabled'))[0]).toBe(third.data.hash);
    const one = await list('--include-disabled', '--limit', '1');
    expect(one).toMatchObject({ total_count: 3 });
    expect(hashes(one)).toEqual([third.data.hash]);
    expect((await keys('list', '--account', account.accountId, '--workspace', 'x')).code).toBe(1);
  });

  it('finds keys by creator, external user and name, in every workspace', async () => {
    const { id } = await createWorkspace(account.client);
    const external = { user: 'c1' };
    const all = [
      await createKey(account.client, { name: 'a', creator_user_id: 'bob', workspace_id: id }),
      await createKey(account.client, { name: 'b', creator_user_id: 'bob', external }),
      await createKey(account.client, { name: 'a', external }),
    ].map(({ data }) => data.hash);
    for (const [options, expected] of [
      [
        ['--creator', 'bob'],
        [1, 0],
      ],
      [
        ['--external-user', 'c1'],
        [2, 1],
      ],
      [
        ['--name', 'a'],
        [2, 0],
      ],
      [['--name', 'a', '--creator', 'bob'], [0]],
      [['--creator', 'bob', '--workspace', id], [0]],
      [['--creator', 'nobody'], []],
    ] as const) {
      const listed = await done('list', '--account', account.accountId, ...options);
      expect(listed).toMatchObject({
        data: expected.map((index) => ({ hash: all[index] })),
        total_count: expected.length,
      });
    }
  });

  it('lists for people in 100 columns, with hashes that can be copied, and says how many more there are', async () => {
    const { data } = await createKey(account.client, { name: '鍵'.repeat(500) });
    await createKey(account.client);
    const { stdout, stderr } = await keyledgerHere(
      service.backends.settings,
      ...['keys', 'list', '--account', account.accountId],
    );
    expect(stderr).toBe('');
    expect(stdout).toMatch(new RegExp(`^  hash  ${data.hash}$`, 'm'));
    const limited = await keyledgerHere(
      service.backends.settings,
      ...['keys', 'list', '--account', account.accountId, '--limit', '1'],
    );
    expect(limited.stderr).toBe('1 more\n');
    expect(limited.stdout.trimEnd().split('\n')).toHaveLength(3);
  });

  it('refuses what the routes refuse, and changes nothing', async () => {
    const { hash } = await create();
    const other = await service.openAccount();
    const before = await storedEvents(service.backends.settings);
    for (const args of [
      ['read', '--hash', String(hash), '--account', other.accountId],
      ['update', '--hash', String(hash), '--account', other.accountId, '--name', 'x'],
      ['update', '--hash', String(hash), '--name', 'x', '--workspace', other.defaultWorkspaceId],
      ['delete', '--hash', String(hash), '--account', other.accountId],
      ['create', '--account', account.accountId, '--name', 'x', '--workspace', 'nowhere'],
    ]) {
      expect(await keys(...args)).toMatchObject({ code: 1, stdout: '' });
    }
    const empty = await keys('update', '--hash', String(hash));
    expect(empty).toMatchObject({ code: 2, stdout: '' });
    expect(empty.stderr).toContain('No update fields provided');
    expect(await storedEvents(service.backends.settings)).toEqual(before);
  });
});

describe('the quota of API keys', () => {
  const service = runningApp();

  it('holds on the command line too', async () => {
    const account = await service.openAccount();
    const create = (): Promise<CommandLineResult> =>
      keyledgerHere(
        { ...service.backends.settings, QUOTA_API_KEYS: '1' },
        ...['keys', 'create', '--account', account.accountId, '--name', 'x'],
      );
    expect(await create()).toMatchObject({ code: 0 });
    expect(await create()).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'keyledger: A quota of the account is used up: api-keys, 1 at most\n',
    });
  });
});
