import { chmodSync, chownSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { type CommandLineResult, keyledger } from '../support/harness/command-line.js';
import { onlyAsRoot, onlyOn } from '../support/harness/only-on.js';
import { makeTempDirectory } from '../support/harness/temp-directory.js';

const embedded = onlyOn('embedded', 'files of the service are what root might spoil');
/** The user of the service. The system need not know this number. */
const SOMEBODY = 1_234;
const isRoot = process.getuid?.() === 0;
const asRoot = onlyAsRoot('only root can give files to somebody else');

embedded.describe('the command line run by root, where the data are of another user', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let dataDir: string;
  let account: string;

  const run = (...args: string[]): Promise<CommandLineResult> =>
    keyledger({ DATA_DIR: dataDir }, ...args);
  const files = (): string[] =>
    ['', ...readdirSync(dataDir, { recursive: true, encoding: 'utf8' })].map((name) =>
      join(dataDir, name),
    );

  beforeEach(async () => {
    directory = makeTempDirectory();
    dataDir = join(directory.path, 'data');
    const created = await run('accounts', 'create', '--name', 'Acme', '--owner', 'ada', '--json');
    account = (created.json as { account_id: string }).account_id;
    if (!isRoot) return;
    // Every user may enter the directory, and only root may create files in it.
    chmodSync(directory.path, 0o755);
    for (const file of files()) chownSync(file, SOMEBODY, SOMEBODY);
  });

  afterEach(() => {
    directory.remove();
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
