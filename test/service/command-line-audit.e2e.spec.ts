import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { createKey } from '../support/harness/api-keys.js';
import { auditEvents, recordsIn } from '../support/harness/audit-events.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { type CommandLineResult, keyledger } from '../support/harness/command-line.js';
import { eventually } from '../support/harness/eventually.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { registerMany } from '../support/harness/long-trail.js';
import { madeBy } from '../support/harness/made-by.js';
import { accountOf, runningApp } from '../support/harness/running-app.js';
import { stageOfAll } from '../support/harness/stage.js';
import { appendUnreadable } from '../support/harness/unreadable-event.js';

const service = runningApp();

/** More events than a pipe can buffer. */
const MANY = 2_000;

describe('keyledger audit', () => {
  const account = accountOf(service);
  let hash: string;

  beforeAll(async () => {
    ({
      data: { hash },
    } = await createKey(account.client, { name: 'analytics' }));
    await account.client.patch(`/v1/keys/${hash}`, { disabled: true });
    await account.client.post('/v1/end-users', { user: 'ada' });
  });

  function audit(...options: readonly string[]): Promise<CommandLineResult> {
    return keyledgerHere(
      service.backends.settings,
      'audit',
      '--account',
      account.accountId,
      ...options,
    );
  }

  it('prints beside the running service what its answers have, a JSON document a line', async () => {
    const { code, stdout, stderr } = await audit('--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(recordsIn(stdout)).toEqual(await auditEvents(account.client));
  });

  it('prints for people when, what and by whom, and below it the target and the changes', async () => {
    const { code, stdout } = await audit('--target-type', 'key', '--limit', '1');
    expect(code).toBe(0);
    const lines = stdout.trimEnd().split('\n');
    const shown = hashKeyString(account.managementKey).slice(0, 8);
    const by = ` by ${account.userId}, management-key ${shown}`;
    expect(lines[0]).toMatch(/^\S+Z {2}key\.disabled +by /);
    expect(lines[0]?.endsWith(by)).toBe(true);
    expect(lines.slice(1)).toEqual([`  key ${hash} (analytics)`, '  disabled false → true']);
  });

  it('begins one line at the margin for an event with any name of its target', async () => {
    const other = await service.openAccount();
    await createKey(other.client, { name: 'a\nb\u001b[31m\u2028c' });
    const { stdout } = await keyledgerHere(
      service.backends.settings,
      ...['audit', '--account', other.accountId, '--target-type', 'key'],
    );
    expect(stdout.match(/^\S/gm)).toHaveLength(1);
    expect(stdout).toContain('(a\\u{a}b\\u{1b}[31m\\u{2028}c)');
    expect(stdout).not.toContain('\u001b');
  });

  it.each([
    ['--action key.created key.disabled', 'action=key.created&action=key.disabled'],
    ['--action key.created --action key.disabled', 'action=key.created&action=key.disabled'],
    ['--actor USER', 'actor=USER'],
    ['--target-type key --target-id HASH', 'target_type=key&target_id=HASH'],
    ['--from TIME', 'from=TIME'],
    ['--to TIME --target-type account', 'to=TIME&target_type=account'],
  ])('takes %s as the route takes %s', async (options, query) => {
    const [disabled] = await auditEvents(account.client, 'action=key.disabled');
    const filled = (text: string): string =>
      text
        .replace('USER', account.userId)
        .replace('HASH', hash)
        .replace('TIME', disabled?.occurred_at ?? '');
    const { stdout } = await audit(...filled(options).split(' '), '--json');
    const right = await auditEvents(account.client, filled(query));
    expect(right.length).toBeGreaterThan(0);
    expect(recordsIn(stdout)).toEqual(right);
  });

  it.each([
    ['all', ['--from', '1970-01-01', '--to', '2999-12-31']],
    ['nothing', ['--from', '2999-12-31']],
    ['nothing', ['--to', '1970-01-01']],
  ])('prints %s for %s, a date at midnight UTC', async (which, options) => {
    const { code, stdout } = await audit(...options, '--json');
    expect(code).toBe(0);
    const expected = which === 'all' ? await auditEvents(account.client) : [];
    expect(recordsIn(stdout)).toEqual(expected);
  });

  it('prints no more than its limit', async () => {
    const { stdout } = await audit('--limit', '2', '--json');
    expect(recordsIn(stdout)).toEqual((await auditEvents(account.client)).slice(0, 2));
  });

  it.each([
    ['an unknown action', ['--action', 'key.exploded']],
    ['a time of another form', ['--from', '2026-01-01T00:00']],
    ['a date that is none', ['--from', '2026-02-30']],
    ['a time that is none', ['--to', '2026-02-30T00:00:00Z']],
    ['an unknown type of target', ['--target-type', 'keys']],
    ['the id of a target without its type', ['--target-id', 'x']],
    [
      'a beginning after the end',
      ['--from', '2026-01-02T00:00:00Z', '--to', '2026-01-01T00:00:00Z'],
    ],
    ['a limit of nothing', ['--limit', '0']],
    ['a limit that is no number', ['--limit', 'all']],
  ])('refuses %s as wrong usage', async (_, options) => {
    const { code, stdout, stderr } = await audit(...options);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(options[0]);
  });

  it('refuses to be used without an account, and fails for one that does not exist', async () => {
    expect((await keyledgerHere(service.backends.settings, 'audit')).code).toBe(2);
    const unknown = await keyledgerHere(
      service.backends.settings,
      'audit',
      '--account',
      'nobody',
      '--json',
    );
    expect(unknown).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'keyledger: Resource not found\n',
    });
  });

  it('prints all of a long trail, and ends quietly when its reader has seen enough', async () => {
    const many = await service.openAccount();
    await registerMany(service, many, MANY);
    const args = ['dist/cli.js', 'audit', '--account', many.accountId, '--json'];
    const env = { PATH: process.env.PATH, ...service.backends.settings };
    const whole = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    let lines = 0;
    whole.stdout.setEncoding('utf8').on('data', (text: string) => {
      lines += text.split('\n').length - 1;
    });
    expect(await once(whole, 'close')).toEqual([0, null]);
    expect(lines).toBe(MANY + 4);
    const left = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let complaints = '';
    left.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
    left.stdout.once('readable', () => left.stdout.destroy());
    expect(await once(left, 'close')).toEqual([0, null]);
    expect(complaints).toBe('');
  });
});

describe('keyledger audit of a trail that is stuck', () => {
  const service = runningApp();

  it('prints what there is before the event that cannot be read, and names that', async () => {
    const account = await service.openAccount();
    await createKey(account.client, { name: 'analytics' });
    const whole = await auditEvents(account.client);
    const id = await appendUnreadable(service.app, 'EndUserRegistered');
    const { code, stdout, stderr } = await keyledgerHere(
      service.backends.settings,
      ...['audit', '--account', account.accountId, '--json'],
    );
    expect(code).toBe(0);
    expect(recordsIn(stdout)).toEqual(whole);
    expect(stderr).toMatch(
      new RegExp(`^the read models are stuck, and the answer may be incomplete: .*${id}`),
    );
  });
});

const A_SECOND_MS = 1_000;

interface CreatedKey {
  readonly data: { readonly hash: string };
}

describe('what the command line changes, a running service sees within a second:', () => {
  const { backends, start } = stageOfAll();
  const service = madeBy(beforeAll, () => start());
  let account: Record<string, string>;
  let client: HttpClient;

  async function done(...args: string[]): Promise<Record<string, string>> {
    const { code, stderr, json } = await keyledgerHere(backends.settings, ...args, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return json as Record<string, string>;
  }

  function within<Seen>(look: () => Promise<Seen>): Promise<unknown> {
    return eventually('the service sees the change', look, A_SECOND_MS);
  }

  async function createKey(fields: object): Promise<string> {
    const created = await client.post<CreatedKey>('/v1/keys', { name: 'a key', ...fields });
    expect(created.status).toBe(201);
    return created.body.data.hash;
  }

  async function createWorkspace(...restrictions: string[]): Promise<string> {
    const wanted = ['--account', account.account_id ?? '', '--name', 'Another'];
    const options = restrictions.flatMap((restriction) => ['--restriction', restriction]);
    const made = await done('workspaces', 'create', ...wanted, ...options);
    return made.workspace_id ?? '';
  }

  function move(hash: string, workspaceId: string): Promise<{ readonly status: number }> {
    return client.patch(`/v1/keys/${hash}`, { workspace_id: workspaceId });
  }

  beforeEach(async () => {
    account = await done('accounts', 'create', '--name', 'Ada & Co', '--owner', 'ada');
    client = service.client.as(account.management_key);
  });

  it('a new account, whose key works', async () => {
    await within(async () => (await client.get('/v1/end-users')).status === 200);
    expect(await client.post('/v1/end-users', { user: 'u' })).toMatchObject({ status: 201 });
  });

  it('a new management key, which works, and its end, after which it does not', async () => {
    const wanted = ['--account', account.account_id ?? '', '--user', 'ada'];
    const made = await done('management-keys', 'create', ...wanted);
    const holder = service.client.as(made.management_key);
    await within(async () => (await holder.get('/v1/end-users')).status === 200);
    await done('management-keys', 'revoke', '--hash', made.hash ?? '');
    await within(async () => (await holder.get('/v1/end-users')).status === 401);
    expect(await client.get('/v1/end-users')).toMatchObject({ status: 200 });
  });

  it('the removal of a member, which ends the keys of that member', async () => {
    const member = ['--account', account.account_id ?? '', '--user', 'grace'];
    await done('members', 'add', ...member);
    const made = await done('management-keys', 'create', ...member);
    const holder = service.client.as(made.management_key);
    expect(await holder.get('/v1/end-users')).toMatchObject({ status: 200 });
    await done('members', 'remove', ...member);
    await within(async () => (await holder.get('/v1/end-users')).status === 401);
  });

  it('a new workspace, in which keys can be made', async () => {
    const workspaceId = await createWorkspace();
    const hash = await createKey({ workspace_id: workspaceId });
    expect(await client.patch(`/v1/keys/${hash}`, { name: 'renamed' })).toMatchObject({
      body: { data: { workspace_id: workspaceId } },
    });
    const foreign = await service.client.post('/v1/keys', { name: 'x', workspace_id: workspaceId });
    expect(foreign.status).toBe(400);
  });

  it('a restriction, which from then on stops a move that would loosen it', async () => {
    const from = await createWorkspace();
    const to = account.default_workspace_id ?? '';
    const [before, after] = [
      await createKey({ workspace_id: from }),
      await createKey({ workspace_id: from }),
    ];
    expect(await move(before, to)).toMatchObject({ status: 200 });
    await done('workspaces', 'restrict', '--workspace', from, '--restriction', 'eu-only');
    expect(await move(after, to)).toMatchObject({ status: 403 });
    await done('workspaces', 'restrict', '--workspace', to, '--restriction', 'eu-only');
    expect(await move(after, to)).toMatchObject({ status: 200 });
    await done('workspaces', 'restrict', '--workspace', from, '--restriction', 'no-training');
    expect(await move(after, from)).toMatchObject({ status: 403 });
  });

  it('a member of a workspace, whose keys may move there until the membership ends', async () => {
    const workspaceId = await createWorkspace();
    const [first, second] = [await createKey({}), await createKey({})];
    expect(await move(first, workspaceId)).toMatchObject({ status: 409 });
    const member = ['--workspace', workspaceId, '--user', 'ada'];
    await done('workspaces', 'members', 'add', ...member);
    expect(await move(first, workspaceId)).toMatchObject({ status: 200 });
    await done('workspaces', 'members', 'remove', ...member);
    expect(await move(second, workspaceId)).toMatchObject({ status: 409 });
  });

  it('and a list does not wait while others write', async () => {
    let written = 0;
    const stop = new AbortController();
    const writing = (async () => {
      for (; !stop.signal.aborted; written += 1) await createKey({});
    })();
    const patient = { ...backends.settings, READ_YOUR_WRITES_TIMEOUT: '60s' };
    const of = ['--account', account.account_id ?? '', '--json'];
    const before = written;
    const listed = await keyledger(patient, 'workspaces', 'list', ...of);
    expect(written).toBeGreaterThan(before);
    stop.abort();
    await writing;
    expect(listed).toMatchObject({ code: 0, json: { data: [{ name: 'Default' }] } });
  });
});
