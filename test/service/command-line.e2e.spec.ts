import 'reflect-metadata';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Command } from '@nestjs/cqrs';
import { OperatorSession } from '../../src/edge/command-line/operator-session.js';
import { AppModule } from '../../src/host/assembly/app.module.js';
import { LogFollower } from '../../src/event-sourcing/event-log/log-follower.js';
import { readSettings } from '../../src/host/settings/settings.js';
import { hashKeyString } from '../../src/kernel/key-string.js';
import { everyCommand, keyledgerHere, printedBy } from '../support/harness/command-in-process.js';
import type { CommandLineResult } from '../support/harness/command-line.js';
import { TIME, UUID } from '../support/harness/forms.js';
import { onlyOnLinux } from '../support/harness/only-on.js';
import { stageOfAll, stageOfEach } from '../support/harness/stage.js';
import { storedEvents } from '../support/harness/stored-events.js';
import { appendUnreadable } from '../support/harness/unreadable-event.js';

const A_UUID = expect.stringMatching(UUID);
const A_TIME = expect.stringMatching(TIME);

describe.each(['beside a running service', 'without one'])('the command line %s', (situation) => {
  const { backends, start } = stageOfAll();
  let account: Record<string, string>;
  let workspaceId: string;

  function run(...args: string[]): Promise<CommandLineResult> {
    // The time-out is longer than a test: a command folds itself and must not wait.
    const settings = { ...backends.settings, READ_YOUR_WRITES_TIMEOUT: '60s' };
    return keyledgerHere(settings, ...args, '--json');
  }

  /** Runs a command that must succeed, and gives its JSON document. */
  async function done(...args: string[]): Promise<unknown> {
    const { code, stdout, stderr, json } = await run(...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`${JSON.stringify(json)}\n`);
    return json;
  }

  /** Runs a command that must be refused with a message, and must change nothing. */
  async function refused(...args: string[]): Promise<void> {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^keyledger: \S.*\n$/);
  }

  beforeAll(async () => {
    if (situation === 'beside a running service') await start();
    const made = await done('accounts', 'create', '--name', 'Ada & Co', '--owner', 'ada');
    account = made as Record<string, string>;
    const workspace = await done(
      ...['workspaces', 'create', '--account', account.account_id ?? '', '--name', 'Europe'],
      ...['--restriction', 'zero-retention', '--restriction', 'eu-only'],
    );
    workspaceId = (workspace as Record<string, string>).workspace_id ?? '';
  });

  it('creates organizations by default, and individuals', async () => {
    expect(account).toEqual({
      account_id: A_UUID,
      kind: 'organization',
      name: 'Ada & Co',
      owner_user_id: 'ada',
      default_workspace_id: A_UUID,
      management_key: expect.stringMatching(/^mk-v1-[0-9a-f]{64}$/),
    });
    const solo = ['--name', 'Solo', '--kind', 'individual', '--owner', 'bob'];
    expect(await done('accounts', 'create', ...solo)).toMatchObject({ kind: 'individual' });
  });

  it('follows no log, because no command verifies a key', async () => {
    const start = jest.spyOn(LogFollower.prototype, 'start');
    const look = jest.spyOn(LogFollower.prototype, 'look');
    for (const command of [
      ['accounts', 'list'],
      ['projections', 'status'],
    ])
      await done(...command);
    // A running service in this process looks too.
    if (situation === 'without one') expect(look).not.toHaveBeenCalled();
    expect(start).not.toHaveBeenCalled();
    jest.restoreAllMocks();
  });

  it('lists accounts, oldest first and without their keys', async () => {
    const { management_key: _, ...listed } = account;
    const { data } = (await done('accounts', 'list')) as { data: Record<string, string>[] };
    expect(data).toContainEqual(listed);
    const later = await done('accounts', 'create', '--name', 'Later', '--owner', 'zoe');
    const after = (await done('accounts', 'list')) as { data: Record<string, string>[] };
    expect(after.data.slice(0, -1)).toEqual(data);
    expect(later).toMatchObject(after.data.at(-1) ?? {});
  });

  it('adds a member once and removes a member once', async () => {
    const member = ['--account', account.account_id ?? '', '--user', 'grace'];
    const expected = { account_id: account.account_id, user_id: 'grace' };
    expect(await done('members', 'add', ...member)).toEqual(expected);
    await refused('members', 'add', ...member);
    expect(await done('members', 'remove', ...member)).toEqual(expected);
    await refused('members', 'remove', ...member);
  });

  it('removes no owner, and adds no member to an individual account', async () => {
    const id = account.account_id ?? '';
    await refused('members', 'remove', '--account', id, '--user', 'ada');
    const solo = ['--name', 'Solo', '--kind', 'individual', '--owner', 'bob'];
    const { account_id } = (await done('accounts', 'create', ...solo)) as Record<string, string>;
    await refused('members', 'add', '--account', account_id ?? '', '--user', 'grace');
  });

  it('creates and lists workspaces', async () => {
    const id = account.account_id ?? '';
    const plain = { account_id: id, name: 'Plain', restrictions: [] };
    const made = await done('workspaces', 'create', '--account', id, '--name', 'Plain');
    expect(made).toEqual({ workspace_id: A_UUID, ...plain });
    const { data } = (await done('workspaces', 'list', '--account', id)) as { data: unknown[] };
    expect(data).toHaveLength(3);
    expect(data[0]).toEqual({
      workspace_id: account.default_workspace_id,
      account_id: id,
      name: 'Default',
      restrictions: [],
    });
    expect(data[1]).toMatchObject({ workspace_id: workspaceId, name: 'Europe' });
    expect(data[2]).toEqual(made);
  });

  it('sets the whole set of restrictions of a workspace, again and again the same', async () => {
    const restrict = ['workspaces', 'restrict', '--workspace', workspaceId];
    const both = ['--restriction', 'eu-only', '--restriction', 'no-training'];
    const expected = { workspace_id: workspaceId, account_id: account.account_id, name: 'Europe' };
    for (const _time of ['first', 'second']) {
      const { restrictions, ...rest } = (await done(...restrict, ...both)) as Record<string, []>;
      expect(rest).toEqual(expected);
      expect([...(restrictions ?? [])].sort()).toEqual(['eu-only', 'no-training']);
    }
    expect(await done(...restrict, '--restriction', 'eu-only')).toEqual({
      ...expected,
      restrictions: ['eu-only'],
    });
  });

  it('adds members of the account to a workspace, and removes them, once each', async () => {
    const [workspace, other] = [workspaceId, account.default_workspace_id ?? ''];
    const ada = ['--workspace', workspace, '--user', 'ada'];
    const expected = { workspace_id: workspace, user_id: 'ada' };
    expect(await done('workspaces', 'members', 'add', ...ada)).toEqual(expected);
    await refused('workspaces', 'members', 'add', ...ada);
    expect(await done('workspaces', 'members', 'remove', ...ada)).toEqual(expected);
    await refused('workspaces', 'members', 'remove', ...ada);
    await refused('workspaces', 'members', 'add', '--workspace', workspace, '--user', 'stranger');
    await refused('workspaces', 'members', 'add', '--workspace', other, '--user', 'ada');
    await refused('workspaces', 'members', 'remove', '--workspace', other, '--user', 'ada');
  });

  it('creates, lists and revokes management keys, each shown once', async () => {
    const id = account.account_id ?? '';
    const wanted = ['--account', id, '--user', 'ada', '--name', 'deploy'];
    const made = (await done('management-keys', 'create', ...wanted)) as Record<string, string>;
    const { management_key = '', hash = '' } = made;
    expect(made).toEqual({
      hash: hashKeyString(management_key),
      account_id: id,
      user_id: 'ada',
      management_key: expect.stringMatching(/^mk-v1-[0-9a-f]{64}$/),
    });
    expect(await done('management-keys', 'revoke', '--hash', hash)).toEqual({
      hash,
      revoked_at: A_TIME,
    });
    await refused('management-keys', 'revoke', '--hash', hash);
    const list = await run('management-keys', 'list', '--account', id);
    expect(list.stdout).not.toContain(management_key);
    const { data } = list.json as { data: Record<string, unknown>[] };
    expect(data[0]).toMatchObject({ hash: hashKeyString(account.management_key ?? '') });
    expect(data[0]).toMatchObject({ revoked_at: null });
    expect(data.at(-1)).toMatchObject({ hash, user_id: 'ada', name: 'deploy', revoked_at: A_TIME });
    await refused('management-keys', 'create', '--account', id, '--user', 'stranger');
  });

  it('stores every change as an event of an operator, in the account it changed', async () => {
    const events = await storedEvents(backends.settings);
    const types = ['AccountCreated', 'WorkspaceCreated', 'ManagementKeyCreated'];
    const ours = events.filter(({ metadata }) => metadata.account_id === account.account_id);
    expect(ours.map(({ type }) => type)).toEqual(expect.arrayContaining(types));
    for (const { metadata } of ours) {
      expect(metadata.actor).toEqual({ type: 'operator', id: expect.any(String), user_id: null });
      expect(metadata.request_id).toBeNull();
    }
  });
});

describe('keyledger management-keys create', () => {
  const { backends } = stageOfEach();
  const run = (...args: readonly string[]): Promise<CommandLineResult> =>
    keyledgerHere(backends.settings, ...args);

  it('needs no account where there is one, and no user, who is its owner then', async () => {
    const made = await run('accounts', 'create', '--name', 'One', '--owner', 'ada', '--json');
    const { account_id } = made.json as Readonly<Record<string, string>>;
    const create = ['management-keys', 'create', '--json'] as const;
    expect((await run(...create)).json).toMatchObject({ account_id, user_id: 'ada' });
    await run('accounts', 'create', '--name', 'Two', '--owner', 'bob');
    const stderr = expect.stringContaining('`accounts list` with --account');
    expect(await run(...create)).toMatchObject({ code: 1, stdout: '', stderr });
    const { json } = await run(...create, '--account', account_id ?? '');
    expect(json).toMatchObject({ account_id, user_id: 'ada' });
    const unknown = await run(...create, '--account', randomUUID());
    expect(unknown).toMatchObject({ code: 1, stderr: 'keyledger: Resource not found\n' });
  });

  it('gives the key a role and an expiry, which the list shows; admin and never when left out', async () => {
    const made = await run('accounts', 'create', '--name', 'One', '--owner', 'ada', '--json');
    const { account_id = '' } = made.json as Readonly<Record<string, string>>;
    const until = ['--expires-at', '2001-01-01T00:00:00Z'];
    await run('management-keys', 'create', '--role', 'gateway', ...until);
    await run('management-keys', 'create', '--role', 'auditor');
    const { json } = await run('management-keys', 'list', '--account', account_id, '--json');
    const { data } = json as { data: { role: string; expires_at: string | null }[] };
    expect(data.map(({ role, expires_at }) => [role, expires_at])).toEqual([
      ['admin', null],
      ['gateway', '2001-01-01T00:00:00.000Z'],
      ['auditor', null],
    ]);
  });
});

describe('the help of the command line', () => {
  function run(...args: readonly string[]): Promise<CommandLineResult> {
    return keyledgerHere({}, ...args);
  }

  const EXPLAINED = everyCommand().map(
    ([words, command]) =>
      [
        words,
        [
          ...command.commands.map((child) => child.name()),
          ...command.options.map(({ long }) => long ?? ''),
          ...command.registeredArguments.map((argument) => argument.name()),
        ],
      ] as const,
  );

  it.each(EXPLAINED)('explains "%s" with --help, on standard output', async (command, mentions) => {
    const words = command === '' ? [] : command.split(' ');
    const { code, stdout, stderr } = await run(...words, '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: ${['keyledger', ...words].join(' ')}`);
    for (const word of [...mentions, '--help']) expect(stdout).toContain(word);
  });

  it('marks the options that a command cannot do without', async () => {
    const { stdout } = await run('accounts', 'create', '--help');
    const marked = stdout.split(/\n {2}(?=-)/).filter((option) => option.includes('(required)'));
    expect(marked.map((option) => option.split(' ')[0])).toEqual(['--name', '--owner']);
  });
});

const itOnLinux = onlyOnLinux('`/dev/full` is a device of Linux');
const COMMAND = [process.execPath, 'dist/cli.js', 'accounts', 'create', '--name', 'A'];

describe('a key that cannot be shown', () => {
  const { backends } = stageOfEach();

  function inBash(script: string): Promise<{ code: unknown; stderr: string }> {
    const env = { PATH: process.env.PATH, ...backends.settings };
    const args = ['-c', script, 'sh', ...COMMAND, '--owner', 'ada'];
    return new Promise((resolve) => {
      execFile('bash', args, { env }, (error, _, stderr) => {
        resolve({ code: error?.code ?? 0, stderr });
      });
    });
  }

  itOnLinux.each([
    ['on a full device', '"$@" > /dev/full'],
    ['to a reader that has left', 'exec 3> >(:); wait $!; "$@" >&3'],
  ])('is a failure %s', async (_, script) => {
    const { code, stderr } = await inBash(script);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keyledger: \S/m);
    expect(stderr).not.toMatch(/mk-v1-/);
  });
});

/** An operator after whose decisions the account directory stops folding. */
class UnluckyOperator extends OperatorSession {
  constructor(private readonly service: INestApplicationContext) {
    super(service, 'ada');
  }

  override async execute<Result>(command: Command<Result>): Promise<Result> {
    const result = await super.execute(command);
    await appendUnreadable(this.service, 'AccountCreated');
    return result;
  }
}

describe('a command of the command line succeeds with its decision, even when no read model can follow:', () => {
  const { backends } = stageOfEach();
  let service: INestApplicationContext;
  let account: Record<string, string>;

  /** Runs a command and gives what it prints with `--json`. */
  async function run(session: OperatorSession, ...args: string[]): Promise<Record<string, string>> {
    return (await printedBy(session, args)) as Record<string, string>;
  }

  /** Runs a command. The account directory stops folding at its decision. */
  async function runUnluckily(...args: string[]): Promise<Record<string, string>> {
    const printed = await run(new UnluckyOperator(service), ...args);
    const look = run(new OperatorSession(service, 'ada'), 'accounts', 'list');
    await expect(look).rejects.toThrow('cannot be read');
    return printed;
  }

  beforeEach(async () => {
    const settings = readSettings(backends.settings);
    const root = AppModule.register(settings);
    service = await NestFactory.createApplicationContext(root, { logger: false });
    const wanted = ['--name', `Ada ${randomUUID()}`, '--owner', 'ada'];
    account = await run(new OperatorSession(service, 'ada'), 'accounts', 'create', ...wanted);
  });

  afterEach(async () => {
    await service.close();
  });

  it('workspaces create', async () => {
    const account_id = account.account_id ?? '';
    const wanted = ['--account', account_id, '--name', 'Europe', '--restriction', 'eu-only'];
    expect(await runUnluckily('workspaces', 'create', ...wanted)).toEqual({
      workspace_id: expect.any(String),
      account_id,
      name: 'Europe',
      restrictions: ['eu-only'],
    });
  });

  it('workspaces restrict', async () => {
    const workspace_id = account.default_workspace_id ?? '';
    const wanted = ['--workspace', workspace_id, '--restriction', 'eu-only'];
    expect(await runUnluckily('workspaces', 'restrict', ...wanted)).toEqual({
      workspace_id,
      account_id: account.account_id,
      name: 'Default',
      restrictions: ['eu-only'],
    });
  });

  it('management-keys revoke', async () => {
    const hash = hashKeyString(account.management_key ?? '');
    const revoked = await runUnluckily('management-keys', 'revoke', '--hash', hash);
    expect(revoked).toEqual({ hash, revoked_at: expect.any(String) });
  });

  it('management-keys revoke, also when the directory was stuck before', async () => {
    const hash = hashKeyString(account.management_key ?? '');
    const operator = new OperatorSession(service, 'ada');
    await run(operator, 'accounts', 'list');
    await appendUnreadable(service, 'AccountCreated');
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      const revoked = await run(operator, 'management-keys', 'revoke', '--hash', hash);
      expect(revoked).toEqual({ hash, revoked_at: expect.any(String) });
      expect(stderr.mock.calls.join()).toMatch(
        /^the read models are stuck, and the answer may be incomplete/,
      );
    } finally {
      stderr.mockRestore();
    }
  });
});
