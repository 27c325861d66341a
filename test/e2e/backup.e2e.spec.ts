import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { type Backends, freshBackends } from '../harness/backends.js';
import { keyledgerHere } from '../harness/command-in-process.js';
import { type CommandLineResult, keyledger } from '../harness/command-line.js';
import { eventually } from '../harness/eventually.js';
import { onlyOn } from '../harness/only-on.js';
import { type ServiceProcess, startService } from '../harness/service-process.js';
import { storedEvents } from '../harness/stored-events.js';
import { makeTempDirectory } from '../harness/temp-directory.js';
import { WriteLoad } from '../harness/write-load.js';

const embedded = onlyOn('embedded', 'a log server has a backup of its own');
const onServer = onlyOn('cluster', 'the embedded log is backed up');

const NAME = /^keyledger-\d{8}T\d{6}\.\d{3}Z\.db$/;
const TWO_HOURS_MS = 7_200_000;

let backends: Backends;
let elsewhere: ReturnType<typeof makeTempDirectory>;
let backups: string;

const backUp = (...options: readonly string[]): Promise<CommandLineResult> =>
  keyledgerHere(backends.settings, 'backup', backups, ...options);

const filesIn = (directory: string): string[] => readdirSync(directory).sort();

async function createAccount(settings: Readonly<Record<string, string>>): Promise<void> {
  const created = await keyledgerHere(
    settings,
    ...['accounts', 'create', '--name', 'A', '--owner', 'ada'],
  );
  expect(created).toMatchObject({ code: 0 });
}

/** Makes a finished backup. @returns its path. */
async function aBackup(...options: readonly string[]): Promise<string> {
  const { code, stderr, json } = await backUp('--json', ...options);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (json as { file: string }).file;
}

beforeEach(async () => {
  backends = await freshBackends();
  elsewhere = makeTempDirectory();
  backups = join(elsewhere.path, 'kept', 'backups');
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
    const { json, code } = await keyledger(backends.settings, 'backup', backups, '--json');
    expect({ code, refusals: load.refusals }).toEqual({ code: 0, refusals: [] });
    const after = answered;
    await eventually('changes go on', () => answered > after, 20_000);
    await service.stop();
    await pressing;

    const { file, events, ...told } = json as { file: string; events: number };
    const copied = join(elsewhere.path, 'copied');
    mkdirSync(copied);
    copyFileSync(file, join(copied, 'events.db'));
    const found = await storedEvents({ DATA_DIR: copied });
    expect(found).toEqual((await storedEvents(backends.settings)).slice(0, events));
    const users = found.map(({ data }) => (data as { user?: string }).user);
    expect(users).toEqual(expect.arrayContaining(before));
    expect(told).toEqual({
      bytes: statSync(file).size,
      with_hash: events,
      without_hash: 0,
      log_id: found[0]?.id,
      head: found.at(-1)?.position,
      head_occurred_at: found.at(-1)?.metadata.occurred_at,
      removed: [],
    });
  });

  it('lets the write-ahead log be emptied after it', async () => {
    await service.client.post('/v1/end-users', { user: 'ada' });
    await aBackup();
    await eventually(
      'the write-ahead log is empty',
      () => statSync(join(backends.dataDir, 'events.db-wal')).size === 0,
      20_000,
    );
  });
});

embedded.describe('keyledger backup', () => {
  beforeEach(async () => {
    await createAccount(backends.settings);
  });

  it('is for its owner alone, in a directory for its owner alone, and leaves nothing else', async () => {
    const file = await aBackup();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(backups).mode & 0o777).toBe(0o700);
    expect(filesIn(backups)).toEqual([expect.stringMatching(NAME)]);
  });

  it('says for people what it wrote', async () => {
    const { code, stdout } = await backUp();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^file +\S+\.db$/m);
    expect(stdout).toMatch(/^events +4$/m);
  });

  it('adds a file each time, and keeps as many as it is told', async () => {
    const files = [await aBackup(), await aBackup(), await aBackup()];
    expect(filesIn(backups)).toHaveLength(3);
    const { json } = await backUp('--keep', '2', '--json');
    const { file, removed } = json as { file: string; removed: string[] };
    expect(removed.sort()).toEqual(files.slice(0, 2));
    expect(filesIn(backups).map((name) => join(backups, name))).toEqual([files[2], file]);
  });

  it('never removes a file that it did not make, nor one of another log', async () => {
    const own = await aBackup();
    const other = await freshBackends();
    try {
      await createAccount(other.settings);
      const ofOther = await keyledgerHere(other.settings, 'backup', backups);
      expect(ofOther).toMatchObject({ code: 0 });
    } finally {
      await other.dispose();
    }
    copyFileSync(own, join(backups, 'keyledger-of-2019.db'));
    copyFileSync(
      join(backends.dataDir, 'events.db'),
      join(backups, 'keyledger-20190101T000000.000Z.db'),
    );
    writeFileSync(join(backups, 'keyledger-20200101T000000.000Z.db'), 'notes');
    mkdirSync(join(backups, 'keyledger-20210101T000000.000Z.db'));
    const before = filesIn(backups);
    const { json } = await backUp('--keep', '1', '--json');
    const { file, removed } = json as { file: string; removed: string[] };
    expect(removed).toEqual([own]);
    const left = before.filter((name) => join(backups, name) !== own);
    expect(filesIn(backups)).toEqual([...left, file.slice(backups.length + 1)].sort());
  });

  it('removes what a backup left that was killed, once it is abandoned', async () => {
    await aBackup();
    const [abandoned, underWay] = ['20190101', '20200101'].map((day) =>
      join(backups, `keyledger-${day}T000000.000Z.db.unfinished`),
    ) as [string, string];
    for (const file of [abandoned, underWay]) writeFileSync(file, '');
    const since = new Date(Date.now() - TWO_HOURS_MS);
    utimesSync(abandoned, since, since);
    await aBackup();
    expect(filesIn(backups).filter((name) => name.endsWith('.unfinished'))).toEqual([
      'keyledger-20200101T000000.000Z.db.unfinished',
    ]);
  });

  it('of a damaged log fails, names the event, and touches no earlier backup', async () => {
    const earlier = await aBackup();
    const db = new Database(join(backends.dataDir, 'events.db'));
    db.exec('DROP TRIGGER events_are_never_updated');
    db.exec(
      `UPDATE events SET metadata = json_set(metadata, '$.actor.id', 'eve') WHERE position = 2`,
    );
    db.close();
    const { code, stdout, stderr } = await backUp('--keep', '1');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/is damaged: 1 events do not match .* the first at position 0+2-/);
    expect(filesIn(backups).map((name) => join(backups, name))).toEqual([earlier]);
  });

  it('refuses a directory that everybody can write, with the cure', async () => {
    mkdirSync(backups, { recursive: true });
    chmodSync(backups, 0o777);
    const { code, stderr } = await backUp();
    expect(code).toBe(1);
    expect(stderr).toContain(`chmod o-w ${backups}`);
    expect(filesIn(backups)).toEqual([]);
  });
});

describe('keyledger backup of a wrong number of backups', () => {
  it.each(['0', '-1', '1.5', 'all', '10000'])('refuses --keep %s as wrong usage', async (count) => {
    expect(await backUp(`--keep=${count}`)).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('keyledger backup of a log that has no event', () => {
  it('is refused, as it would be of no use', async () => {
    await storedEvents(backends.settings);
    const { code, stdout, stderr } = await backUp();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/is empty|EventStoreDB/);
  });
});

onServer.describe('keyledger backup and restore where the log is on a server', () => {
  it.each(['backup', 'restore'])(
    'refuse, and name the backup of the server: %s',
    async (command) => {
      const { code, stdout, stderr } = await keyledgerHere(backends.settings, command, backups);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('the event log is on EventStoreDB');
      expect(stderr).toContain('docs/operations.md');
    },
  );
});
