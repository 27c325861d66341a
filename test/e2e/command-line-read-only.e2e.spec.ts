import { chmodSync, cpSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { Program, type Purpose } from '../../src/command-line/program.js';
import { addCommands } from '../../src/commands.js';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { type Backends, freshBackends } from '../harness/backends.js';
import { keyledgerHere } from '../harness/command-in-process.js';
import { type CommandLineResult, keyledgerThrough } from '../harness/command-line.js';
import { boundByPermissions } from '../harness/file-faults.js';
import { NOTHING_OPENED } from '../harness/nothing-opened.js';
import { onlyOn } from '../harness/only-on.js';
import { type ServiceProcess, startService } from '../harness/service-process.js';
import { directoryBytes } from '../harness/stored-bytes.js';
import { makeTempDirectory } from '../harness/temp-directory.js';

const embedded = onlyOn('embedded', 'a copy of the service is a directory');

/** Commands that change nothing, with options that name an account. */
const examining = (account: string): readonly (readonly string[])[] => [
  ['accounts', 'list'],
  ['workspaces', 'list', '--account', account],
  ['management-keys', 'list', '--account', account],
  ['members', 'list', '--account', account],
  ['end-users', 'list', '--account', account],
  ['projections', 'status'],
  ['projections', 'verify', '--all'],
  ['audit', '--account', account],
];

/** Gives the purpose for which a command opens its session; undefined for a command without a session. */
async function purposeOf(command: readonly string[]): Promise<Purpose | undefined> {
  let asked: Purpose | undefined;
  const program = new Program(
    (_, purpose) => {
      asked = purpose;
      return Promise.reject(new Error('nothing is opened here'));
    },
    () => undefined,
  );
  addCommands(program, NOTHING_OPENED);
  await program.root.parseAsync(command, { from: 'user' }).catch(() => undefined);
  return asked;
}

embedded.describe('the command line on a data directory that it may not write', () => {
  /** The data directory of a service that was stopped. */
  let left: Backends;
  let backends: Backends;
  let service: ServiceProcess | undefined;
  let temporary: ReturnType<typeof makeTempDirectory>;
  let account: string;

  const run = (...args: string[]): Promise<CommandLineResult> =>
    keyledgerThrough(
      boundByPermissions(),
      { ...backends.settings, TMPDIR: temporary.path },
      ...args,
    );

  /** Sets the modes of all files and directories. Directories keep the right to enter. */
  function setModes(files: number): void {
    const paths = ['', ...readdirSync(backends.dataDir, { recursive: true, encoding: 'utf8' })].map(
      (name) => join(backends.dataDir, name),
    );
    for (const path of paths) chmodSync(path, statSync(path).isDirectory() ? files | 0o111 : files);
  }

  beforeAll(async () => {
    left = await freshBackends();
    const BOOTSTRAP_MANAGEMENT_KEY = mintKeyString('mk-v1-');
    const stopped = await startService({ ...left.settings, BOOTSTRAP_MANAGEMENT_KEY });
    await stopped.client.post('/v1/end-users', { user: 'ada' });
    const { json } = await keyledgerHere(left.settings, 'accounts', 'list', '--json');
    account = (json as { data: { account_id: string }[] }).data[0]?.account_id ?? '';
    await stopped.stop();
  });

  afterAll(() => left.dispose());

  beforeEach(async () => {
    backends = await freshBackends();
    cpSync(left.dataDir, backends.dataDir, { recursive: true });
    temporary = makeTempDirectory();
  });

  afterEach(async () => {
    await service?.stop('SIGKILL');
    service = undefined;
    setModes(0o644);
    temporary.remove();
    await backends.dispose();
  });

  it.each(['stopped', 'killed'])('examines it in a copy, once the service is %s', async (how) => {
    if (how === 'killed') await (await startService(backends.settings)).stop('SIGKILL');
    setModes(0o444);
    const before = directoryBytes(backends.dataDir);
    // All commands open them in the same way.
    for (const command of examining(account)) expect(await purposeOf(command)).toBe('examines');
    const commands = [
      ['end-users', 'list', '--account', account],
      ['projections', 'verify', '--all'],
    ];
    for (const command of commands) {
      expect(await run(...command, '--json')).toMatchObject({
        code: 0,
        stderr: `${backends.dataDir} is not writable: examining a copy\n`,
        json: { data: expect.arrayContaining([expect.anything()]) },
      });
    }
    const audited = await run('audit', '--account', account, '--action', 'end-user.registered');
    expect(audited).toMatchObject({ code: 0, stdout: expect.stringContaining('ada') });
    expect(directoryBytes(backends.dataDir).equals(before)).toBe(true);
    expect(readdirSync(temporary.path)).toEqual([]);
  });

  it('changes nothing in it, and says why', async () => {
    setModes(0o444);
    const before = directoryBytes(backends.dataDir);
    for (const command of [
      ['members', 'add', '--account', account, '--user', 'bob'],
      ['projections', 'rebuild', '--all'],
    ]) {
      const { code, stderr } = await run(...command);
      expect(code).toBe(1);
      expect(stderr).toContain(backends.dataDir);
    }
    expect(directoryBytes(backends.dataDir).equals(before)).toBe(true);
  });

  it('copies nothing that a service may be changing', async () => {
    service = await startService(backends.settings);
    setModes(0o444);
    expect(await run('accounts', 'list')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('run the command as its user'),
    });
    expect(readdirSync(temporary.path)).toEqual([]);
  });

  it('does not say of one that it may not look into that no log is there', async () => {
    chmodSync(backends.dataDir, 0);
    const { code, stderr } = await run('accounts', 'list');
    chmodSync(backends.dataDir, 0o755);
    expect(code).toBe(1);
    expect(stderr).toContain('EACCES');
    expect(stderr).toContain(backends.dataDir);
    expect(stderr).not.toContain('there is no event log');
  });

  it('leaves no copy behind when there is no room for all of it', async () => {
    setModes(0o444);
    // With this name the paths of the copied files are too long.
    const deep = join(temporary.path, 'x'.repeat(250));
    mkdirSync(deep);
    chmodSync(deep, 0o555);
    const result = await keyledgerThrough(
      boundByPermissions(),
      { ...backends.settings, TMPDIR: deep },
      'accounts',
      'list',
    );
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(deep) });
  });
});
