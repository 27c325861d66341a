import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { formOf, hashKeyString } from '../../src/kernel/key-string.js';
import { VERSION } from '../../src/kernel/version.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { type CommandLineResult, keyledger } from '../support/harness/command-line.js';
import { onlyAsRoot, onlyOn } from '../support/harness/only-on.js';
import { directoryOfEach, stageOfEach } from '../support/harness/stage.js';
import { storedEvents } from '../support/harness/stored-events.js';

const nowhere = randomUUID();
const account = ['--account', nowhere];
const workspace = ['--workspace', nowhere];
const user = ['--user', 'ada'];
const THIRTY_THREE = Array.from({ length: 33 }, (_, index) => `r${index}`);

/** Commands with options that name unknown objects. */
const WITH_UNKNOWN_IDS: readonly (readonly [string, readonly string[]])[] = [
  ['members add', [...account, ...user]],
  ['members remove', [...account, ...user]],
  ['workspaces create', [...account, '--name', 'Lost']],
  ['workspaces list', account],
  ['workspaces restrict', [...workspace, '--restriction', 'eu-only']],
  ['workspaces members add', [...workspace, ...user]],
  ['workspaces members remove', [...workspace, ...user]],
  ['management-keys create', [...account, ...user]],
  ['management-keys list', account],
  ['management-keys revoke', ['--hash', 'f'.repeat(64)]],
  ['projections rebuild', ['no-directory']],
  ['projections verify', ['no-directory']],
];

/** Every command but `accounts create` and `mint`. */
const ON_A_LOG: typeof WITH_UNKNOWN_IDS = [
  ...WITH_UNKNOWN_IDS,
  ['accounts list', []],
  ['projections status', []],
  ['projections rebuild', []],
  ['projections verify', []],
  ['backup', [join(tmpdir(), nowhere)]],
  ['audit', account],
];

describe('the command line', () => {
  let backends: Backends;

  function run(...args: readonly string[]): Promise<CommandLineResult> {
    return keyledgerHere(backends.settings, ...args);
  }

  beforeAll(async () => {
    backends = await freshBackends();
    // This call creates the log that the commands need.
    expect(await storedEvents(backends.settings)).toEqual([]);
  });

  afterAll(async () => {
    expect(await storedEvents(backends.settings)).toEqual([]);
    await backends.dispose();
  });

  it.each([['--version'], ['-V'], ['accounts', 'list', '--version']])(
    'prints its version: %s %s %s',
    async (...args) => {
      const { code, stdout, stderr } = await run(...args);
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: `${VERSION} (commit unknown)\n`,
        stderr: '',
      });
    },
  );

  it.each([
    ['no command', []],
    ['an unknown command', ['acounts', 'list']],
    ['an unknown subcommand', ['accounts', 'drop']],
    ['a group without its subcommand', ['accounts']],
    ['an unknown option', ['accounts', 'list', '--loud']],
    ['an argument too many', ['accounts', 'list', 'please']],
    ['a missing option', ['accounts', 'create', '--name', 'Ada']],
    ['an option without its value', ['members', 'add', ...account, '--user']],
    ['an unknown kind', ['accounts', 'create', '--name', 'A', '--owner', 'a', '--kind', 'firm']],
    ['a space before a new id', ['accounts', 'create', '--name', 'A', '--owner', ' a']],
    ['a space behind one', ['members', 'add', ...account, '--user', 'a\u3000']],
    ['an empty name', ['accounts', 'create', '--name', '', '--owner', 'ada']],
    ['a name of spaces', ['workspaces', 'create', ...account, '--name', '  ']],
    ['a name that is too long', ['accounts', 'create', '--name', 'n'.repeat(513), '--owner', 'a']],
    [
      'a name of a workspace that no request could give it',
      ['workspaces', 'create', '--account', 'a', '--name', 'n'.repeat(101)],
    ],
    [
      'more restrictions than a request could give',
      ['workspaces', 'restrict', ...workspace, '--restriction', ...THIRTY_THREE],
    ],
    [
      'a restriction that is too long',
      ['workspaces', 'restrict', ...workspace, '--restriction', 'r'.repeat(65)],
    ],
    [
      'a restriction of spaces',
      ['workspaces', 'restrict', ...workspace, '--restriction', ' \u0085'],
    ],
    ['an empty restriction', ['workspaces', 'restrict', ...workspace, '--restriction', '']],
    ['an unknown role', ['management-keys', 'create', '--role', 'owner']],
    [
      'an expiry without seconds',
      ['management-keys', 'create', '--expires-at', '2030-01-01T00:00Z'],
    ],
    ['two projections', ['projections', 'rebuild', 'key-directory', 'audit-trail']],
    ['no restriction at all', ['workspaces', 'restrict', ...workspace]],
    ['a backup without a directory', ['backup']],
    ['two directories for a backup', ['backup', 'here', 'there']],
  ])('answers wrong usage, %s, with exit code 2 on standard error alone', async (_what, args) => {
    const { code, stdout, stderr } = await run(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).not.toBe('');
    expect(stderr).not.toContain('    at ');
  });

  it.each([
    ['--name', ['workspaces', 'create', ...account, '--name', 'a', '--name', 'b']],
    ['--limit', ['audit', ...account, '--limit', '1', '--limit', '1']],
    ['--kind', ['accounts', 'create', '--kind', 'organization', '--kind', 'individual']],
  ])(
    'refuses %s given twice with exit code 2, for it could mean one or the other',
    async (name, args) => {
      const { code, stdout, stderr } = await run(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(new RegExp(`option '${name} .*it is given twice`));
    },
  );

  it.each([
    ['workspaces create', [...account, '--name', 'a', '--restriction']],
    ['workspaces create', [...account, '--name']],
    ['workspaces restrict', [...workspace, '--restriction']],
    ['members add', [...account, '--user']],
    ['accounts create', ['--name', 'a', '--owner']],
    ['accounts create', ['--owner', 'a', '--name']],
    ['management-keys create', [...account, ...user, '--name']],
    ['management-keys revoke', ['--hash']],
    ['audit', [...account, '--actor']],
    ['audit', ['--account']],
  ])(
    'takes no option for a value that is missing, as of an empty variable: %s %j',
    async (command, options) => {
      const { code, stdout, stderr } = await run(...command.split(' '), ...options, '--json');
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^error: option '.*' argument missing$/m);
    },
  );

  it('mints strings of both kinds, with the right hashes, without a log', async () => {
    const DATA_DIR = join(tmpdir(), nowhere);
    for (const [options, form] of [
      [[], 'api-key'],
      [['--management'], 'management-key'],
    ] as const) {
      const { code, json } = await keyledgerHere({ DATA_DIR }, 'mint', ...options, '--json');
      const { key = '', hash } = json as { readonly key?: string; readonly hash?: string };
      expect({ code, form: formOf(key) }).toEqual({ code: 0, form });
      expect(hash).toBe(hashKeyString(key));
    }
    expect(existsSync(DATA_DIR)).toBe(false);
    expect(await run('mint', 'one-more')).toMatchObject({ code: 2, stdout: '' });
  });

  it.each(WITH_UNKNOWN_IDS)(
    'refuses an id that does not exist with exit code 1: %s',
    async (command, options) => {
      const { code, stdout, stderr } = await run(...command.split(' '), ...options, '--json');
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^keyledger: \S.*\n$/);
    },
  );

  it.each([
    [0, ['--help']],
    [0, ['accounts', 'create', '--help']],
    [2, ['accounts', 'drop']],
    [1, ['management-keys', 'revoke', '--hash', 'f'.repeat(64)]],
  ])('is a process that ends with exit code %i, and prints the same: %j', async (code, args) => {
    const result = await keyledger(backends.settings, ...args);
    expect(result).toEqual(await run(...args));
    expect(result.code).toBe(code);
  });
});

describe('the command line', () => {
  const { backends } = stageOfEach();
  const run = (...args: readonly string[]): Promise<CommandLineResult> =>
    keyledgerHere(backends.settings, ...args);

  it('takes a text that begins like an option after an equals sign', async () => {
    const created = await run('accounts', 'create', '--name=--json', '--owner=-a', '--json');
    expect(created.json).toMatchObject({ name: '--json', owner_user_id: '-a' });
  });

  it('prints for people without --json, and cuts nothing that the next command needs', async () => {
    const owner = `user-${nowhere}-鍵-${'u'.repeat(400)}`;
    const created = await run('accounts', 'create', '--name', 'Ada', '--owner', owner);
    expect(created).toMatchObject({ code: 0, stderr: '', json: undefined });
    expect(created.stdout).toMatch(/^management_key: mk-v1-[0-9a-f]{64}$/m);
    const listed = await run('accounts', 'list');
    expect(listed.stdout).toContain(` ${owner} `);
    const [id = ''] = /[0-9a-f-]{36}/.exec(listed.stdout) ?? [];
    const made = await run('management-keys', 'create', '--account', id, '--user', owner);
    expect(made).toMatchObject({ code: 0 });
  });

  it('lets no name control the terminal of an operator', async () => {
    await run('accounts', 'create', '--name', 'a\u202e\u2028b', '--owner', 'ada');
    const { stdout } = await run('accounts', 'list');
    expect(stdout).toContain('a\\u{202e}\\u{2028}b');
  });
});

describe('a command where there is no event log', () => {
  const directory = directoryOfEach();

  it.each(ON_A_LOG)('says so, exits with 1 and makes nothing: %s', async (command, options) => {
    const settings = { DATA_DIR: directory.path };
    const { code, stdout, stderr } = await keyledgerHere(
      settings,
      ...command.split(' '),
      ...options,
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe(
      `keyledger: there is no event log in ${directory.path}; set DATA_DIR to the data directory of the service\n`,
    );
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('does not make the directory either', async () => {
    const dataDir = join(directory.path, 'not-there');
    const listed = await keyledgerHere({ DATA_DIR: dataDir }, 'accounts', 'list');
    expect(listed).toMatchObject({ code: 1, stdout: '' });
    expect(listed.stderr).toContain(`no event log in ${dataDir}`);
    expect(existsSync(dataDir)).toBe(false);
  });
});

const embedded = onlyOn('embedded', 'files of the service are what root might spoil');
/** The user of the service. The system need not know this number. */
const SOMEBODY = 1_234;
const isRoot = process.getuid?.() === 0;
const asRoot = onlyAsRoot('only root can give files to somebody else');

embedded.describe('the command line run by root, where the data are of another user', () => {
  const directory = directoryOfEach();
  let dataDir: string;
  let account: string;

  const run = (...args: string[]): Promise<CommandLineResult> =>
    keyledger({ DATA_DIR: dataDir }, ...args);
  const files = (): string[] =>
    ['', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })].map((name) =>
      join(dataDir, name),
    );

  beforeEach(async () => {
    dataDir = join(directory.path, 'data');
    const created = await run('accounts', 'create', '--name', 'Acme', '--owner', 'ada', '--json');
    account = (created.json as { account_id: string }).account_id;
    if (!isRoot) return;
    // Every user may enter the directory, and only root may create files in it.
    chmodSync(directory.path, 0o755);
    for (const file of files()) chownSync(file, SOMEBODY, SOMEBODY);
  });

  it('creates files that no other user may read', () => {
    for (const file of files()) expect(statSync(file).mode & 0o077).toBe(0);
  });

  asRoot('leaves all of it to that user, and says who did it', async () => {
    const added = await run('members', 'add', '--account', account, '--user', 'bob');
    expect(added).toMatchObject({ code: 0, stderr: '' });
    expect(await run('projections', 'rebuild')).toMatchObject({ code: 0 });
    expect(new Set(files().map((file) => statSync(file).uid))).toEqual(new Set([SOMEBODY]));
    const newest = await run('audit', '--account', account, '--limit', '1', '--json');
    expect(newest.json).toMatchObject({
      action: 'member.added',
      actor: { id: userInfo().username },
    });
  });

  asRoot('names that user where it may not write', async () => {
    const { code, stderr } = await run('backup', join(directory.path, 'backup'));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keyledger: EACCES: .*backup\.unfinished/);
    expect(stderr).toContain(`(user uid:${SOMEBODY}: root continues as the owner of DATA_DIR)`);
  });

  asRoot('is led nowhere by a link that this user has put there', async () => {
    const target = join(directory.path, 'made-by-root');
    expect(await run('projections', 'rebuild')).toMatchObject({ code: 0 });
    for (const file of files().filter(
      (name) => name.endsWith('.db') && !name.endsWith('events.db'),
    )) {
      rmSync(file);
      symlinkSync(target, file);
    }
    expect(await run('projections', 'status')).toMatchObject({ code: 1 });
    expect(statSync(target, { throwIfNoEntry: false })).toBeUndefined();
  });
});
