import { beforeEach, describe, expect, it } from '@jest/globals';
import { auditEvents } from '../harness/audit-events.js';
import { keyledgerHere } from '../harness/command-in-process.js';
import type { CommandLineResult } from '../harness/command-line.js';
import { runningApp, type TestAccount } from '../harness/running-app.js';

type Fields = Readonly<Record<string, unknown>>;

describe('the command line on users', () => {
  const service = runningApp();
  let account: TestAccount;

  beforeEach(async () => {
    account = await service.openAccount();
  });

  function run(command: string, ...options: readonly string[]): Promise<CommandLineResult> {
    const args = [...command.split(' '), '--account', account.accountId, ...options, '--json'];
    return keyledgerHere(service.backends.settings, ...args);
  }

  async function done(command: string, ...options: readonly string[]): Promise<Fields> {
    const { code, stderr, json } = await run(command, ...options);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return json as Fields;
  }

  async function answered(user: string): Promise<Fields> {
    const { body } = await account.client.get<{ data: Fields }>(`/v1/end-users/${user}`);
    return { account_id: account.accountId, ...body.data };
  }

  it('registers an end user once, as an operator', async () => {
    expect(await done('end-users register', '--user', 'c1')).toEqual(await answered('c1'));
    const [event] = await auditEvents(account.client, 'action=end-user.registered');
    expect(event).toMatchObject({ target: { id: 'c1' }, actor: { type: 'operator' } });
    expect(await run('end-users register', '--user', 'c1')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'keyledger: The tracking ID is already registered in this organization\n',
    });
  });

  it('reads an end user, also an inactive one', async () => {
    await account.client.post('/v1/end-users', { user: 'c1' });
    await account.client.delete('/v1/end-users/c1');
    const read = await done('end-users read', '--user', 'c1');
    expect(read).toEqual(await answered('c1'));
    expect(read).toMatchObject({ is_active: false });
    expect(await run('end-users read', '--user', 'c2')).toMatchObject({ code: 1, stdout: '' });
  });

  it('lists end users in order of registration', async () => {
    for (const user of ['c1', 'c2', 'c3']) await account.client.post('/v1/end-users', { user });
    await account.client.delete('/v1/end-users/c2');
    const [c1, c2, c3] = [await answered('c1'), await answered('c2'), await answered('c3')];
    expect(await done('end-users list')).toEqual({ data: [c1, c3], total_count: 2 });
    const all = await done('end-users list', '--include-inactive', '--limit', '2');
    expect(all).toEqual({ data: [c1, c2], total_count: 3 });
    const one = await done('end-users list', '--user', 'c3');
    expect(one).toEqual({ data: [c3], total_count: 1 });
    expect(await done('end-users list', '--user', 'c4')).toEqual({ data: [], total_count: 0 });
  });

  it('has no end users of an individual account', async () => {
    account = await service.openAccount('individual');
    for (const [command, options] of [
      ['end-users list', []],
      ['end-users read', ['--user', 'c1']],
      ['end-users register', ['--user', 'c1']],
    ] as const) {
      expect(await run(command, ...options)).toMatchObject({
        code: 1,
        stderr: 'keyledger: End users belong to organizations; this account is not one\n',
      });
    }
  });

  it('lists the members of an account in the order in which they joined', async () => {
    await done('members add', '--user', 'zoe');
    await done('members add', '--user', 'bob');
    const users = [account.userId, 'zoe', 'bob'];
    expect(await done('members list')).toEqual({
      data: users.map((user_id) => ({ account_id: account.accountId, user_id })),
      total_count: 3,
    });
  });
});
