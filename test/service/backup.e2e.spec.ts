import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { type CommandLineResult, keyledger } from '../support/harness/command-line.js';
import { eventually } from '../support/harness/eventually.js';
import { onlyOn } from '../support/harness/only-on.js';
import { type ServiceProcess, startService } from '../support/harness/service-process.js';
import { storedEvents } from '../support/harness/stored-events.js';
import { makeTempDirectory } from '../support/harness/temp-directory.js';
import { WriteLoad } from '../support/harness/write-load.js';

const embedded = onlyOn('embedded', 'a log server has a backup of its own');
const onServer = onlyOn('cluster', 'the embedded log is backed up');

let backends: Backends;
let elsewhere: ReturnType<typeof makeTempDirectory>;
let directory: string;

const backUp = (...options: readonly string[]): Promise<CommandLineResult> =>
  keyledgerHere(backends.settings, 'backup', directory, ...options);

beforeEach(async () => {
  backends = await freshBackends();
  elsewhere = makeTempDirectory();
  directory = join(elsewhere.path, 'of-today');
});

afterEach(async () => {
  elsewhere.remove();
  await backends.dispose();
});

embedded.describe('keyledger backup beside a busy service', () => {
  let service: ServiceProcess;

  beforeEach(async () => {
    service = await startService(backends.settings);
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
  });

  it('has every change that was answered before, whole and in order, and lets the log go', async () => {
    const load = new WriteLoad();
    let answered = 0;
    const pressing = load.press(service.client, () => (answered += 1));
    await eventually('changes are answered', () => answered > 50, 20_000);
    const before = [...load.acknowledgedUsers];
    const { json, code } = await keyledger(backends.settings, 'backup', directory, '--json');
    expect({ code, refusals: load.refusals }).toEqual({ code: 0, refusals: [] });
    const after = answered;
    await eventually('changes go on', () => answered > after, 20_000);
    await service.stop();
    await pressing;

    const bytes = statSync(join(directory, 'events.db')).size;
    const found = await storedEvents({ DATA_DIR: directory });
    expect(json).toEqual({
      directory,
      logs: [{ name: 'management', file: 'events.db', events: found.length, bytes }],
    });
    expect(found).toEqual((await storedEvents(backends.settings)).slice(0, found.length));
    const users = found.map(({ data }) => (data as { user?: string }).user);
    expect(users).toEqual(expect.arrayContaining(before));
  });

  it('lets the write-ahead log be emptied after it', async () => {
    await service.client.post('/v1/end-users', { user: 'ada' });
    expect(await backUp()).toMatchObject({ code: 0 });
    await eventually(
      'the write-ahead log is empty',
      () => statSync(join(backends.dataDir, 'events.db-wal')).size === 0,
      20_000,
    );
  });
});

embedded.describe('keyledger backup', () => {
  beforeEach(async () => {
    const account = ['--name', 'A', '--owner', 'ada'];
    const created = await keyledgerHere(backends.settings, 'accounts', 'create', ...account);
    expect(created).toMatchObject({ code: 0 });
  });

  it('is for its owner alone, and leaves nothing else', async () => {
    expect(await backUp()).toMatchObject({ code: 0, stderr: '' });
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(readdirSync(directory)).toEqual(['events.db']);
    expect(statSync(join(directory, 'events.db')).mode & 0o777).toBe(0o600);
    expect(readdirSync(elsewhere.path)).toEqual(['of-today']);
  });

  it('says for people what it wrote', async () => {
    const { code, stdout } = await backUp();
    expect(code).toBe(0);
    expect(stdout).toContain(`directory: ${directory}\n`);
    expect(stdout).toMatch(/ management │ events\.db │ 4 +│ \d+ /);
  });

  it('is a data directory, with which the command line works', async () => {
    expect(await backUp()).toMatchObject({ code: 0 });
    const listed = await keyledgerHere({ DATA_DIR: directory }, 'accounts', 'list', '--json');
    expect(listed.json).toMatchObject({ data: [{ name: 'A', owner_user_id: 'ada' }] });
  });

  it.each([
    ['a directory', () => mkdirSync(directory)],
    ['a file', () => writeFileSync(directory, '')],
  ])('refuses %s that exists, and leaves it as it is', async (_, make) => {
    make();
    const { code, stdout, stderr } = await backUp();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`${directory} exists already`);
    expect(readdirSync(elsewhere.path)).toEqual(['of-today']);
  });

  it('of a damaged log fails, and leaves nothing', async () => {
    const db = new Database(join(backends.dataDir, 'events.db'));
    db.unsafeMode();
    db.exec(`PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'stream, revision', 'stream, version')
      WHERE name = 'events_of_stream'`);
    db.close();
    const { code, stdout, stderr } = await backUp();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^keyledger: the event log .*events\.db cannot be copied: /);
    expect(readdirSync(elsewhere.path)).toEqual([]);
  });

  it('needs none of the settings that it does not use', async () => {
    const settings = {
      ...backends.settings,
      BOOTSTRAP_MANAGEMENT_KEY_FILE: '/run/secrets/missing',
      MONGODB_URI_FILE: '/run/secrets/missing',
      PORT: 'none',
      QUOTA_MEMBERS: 'many',
    };
    const { code, stderr } = await keyledgerHere(settings, 'backup', directory);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});

onServer.describe('keyledger backup where the log is on a server', () => {
  it('is refused, and names the backup of the server', async () => {
    const { code, stdout, stderr } = await backUp();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('the event log is on EventStoreDB');
    expect(stderr).toContain('docs/operations/backup.md');
  });
});
