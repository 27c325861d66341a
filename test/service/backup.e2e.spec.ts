import { randomUUID } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { createSyncedRow } from '../../src/event-sourcing/event-log/connection-roles.js';
import { SqliteEventLog } from '../../src/event-sourcing/event-log/sqlite/sqlite-event-log.js';
import {
  WRITE_AHEAD_PAGES,
  writeAheadBytes,
} from '../../src/event-sourcing/sqlite/open-database.js';
import { event, freshStream } from '../contracts/opened-log.js';
import { freshBackends } from '../support/harness/backends.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { type CommandLineResult, keyledger } from '../support/harness/command-line.js';
import { eventually } from '../support/harness/eventually.js';
import { scrape } from '../support/harness/exposed-metrics.js';
import { madeBy } from '../support/harness/made-by.js';
import { onlyOn } from '../support/harness/only-on.js';
import { type ServiceProcess, startService } from '../support/harness/service-process.js';
import { directoryOfEach, stageOfEach } from '../support/harness/stage.js';
import { storedEvents } from '../support/harness/stored-events.js';
import { writeAheadPages } from '../support/harness/write-ahead-pages.js';
import { WriteLoad } from '../support/harness/write-load.js';

const embedded = onlyOn('embedded', 'a log server has files and a backup of its own');
const onServer = onlyOn('cluster', 'the embedded log is backed up');

const { backends, start } = stageOfEach();
const elsewhere = directoryOfEach();
let directory: string;

const backUp = (...options: readonly string[]): Promise<CommandLineResult> =>
  keyledgerHere(backends.settings, 'backup', directory, ...options);

beforeEach(() => {
  directory = join(elsewhere.path, 'of-today');
});

/** How many callers make keys and report on them, and how many copies are made meanwhile. */
const MAKERS = 8;
const COPIES = 2;
const LONG_BYTES = 15_000_000;

const MADE = `SELECT data ->> '$.hash' FROM events WHERE type = 'ApiKeyCreated'`;
const REPORTED_ON = `SELECT data ->> '$.keys[0].hash' FROM events WHERE type = 'UsageReported'`;

/** Gives the hashes of the keys that the copy of a log names. */
function keysIn(file: string, query: string): string[] {
  const db = new Database(join(directory, file), { readonly: true });
  try {
    return db.prepare<[], string>(query).pluck().all();
  } finally {
    db.close();
  }
}

embedded.describe('keyledger backup beside a busy service', () => {
  const service = madeBy(beforeEach, () => start({ RATE_LIMIT_KEY_CREATION: 'off' }));

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

    const bytes = (file: string): number => statSync(join(directory, file)).size;
    const found = await storedEvents({ DATA_DIR: directory });
    expect(json).toEqual({
      directory,
      logs: [
        { name: 'management', file: 'events.db', events: found.length, bytes: bytes('events.db') },
        { name: 'usage', file: 'usage.db', events: 0, bytes: bytes('usage.db') },
      ],
    });
    expect(found).toEqual((await storedEvents(backends.settings)).slice(0, found.length));
    const users = found.map(({ data }) => (data as { user?: string }).user);
    expect(users).toEqual(expect.arrayContaining(before));
  });

  it('has each key that a copied report names', async () => {
    const { client } = service;
    // A log that takes some time to copy.
    const log = new SqliteEventLog(join(backends.dataDir, 'events.db'));
    await log.append(freshStream(), [event('x'.repeat(LONG_BYTES), 'Unknown')], 'no-stream');
    await log.close();
    let isOver = false;
    let reported = 0;
    const making = Array.from({ length: MAKERS }, async () => {
      while (!isOver) {
        const made = await client.post<{ data: { hash: string } }>('/v1/keys', { name: 'a' });
        const records = [{ key_hash: made.body.data.hash, cost: 1 }];
        await client.send('PUT', `/v1/usage-reports/${randomUUID()}`, { body: { records } });
        reported += 1;
      }
    });
    for (let copy = 0; copy < COPIES; copy++) {
      directory = join(elsewhere.path, `copy-${copy}`);
      const before = reported;
      await eventually('keys are reported on', () => reported > before + MAKERS, 20_000);
      const { code } = await keyledger(backends.settings, 'backup', directory);
      expect(code).toBe(0);
      const [made, used] = [keysIn('events.db', MADE), keysIn('usage.db', REPORTED_ON)];
      expect(used.length).toBeGreaterThan(MAKERS);
      expect(used.filter((hash) => !made.includes(hash))).toEqual([]);
    }
    isOver = true;
    await Promise.all(making);
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
    expect(readdirSync(directory)).toEqual(['events.db', 'usage.db']);
    expect(statSync(join(directory, 'events.db')).mode & 0o777).toBe(0o600);
    expect(readdirSync(elsewhere.path)).toEqual(['of-today']);
  });

  it('says for people what it wrote', async () => {
    const { code, stdout } = await backUp();
    expect(code).toBe(0);
    expect(stdout).toContain(`directory: ${directory}\n`);
    expect(stdout).toMatch(/ management │ events\.db │ 5 +│ \d+ /);
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

  it('says which directory is missing above it', async () => {
    directory = join(elsewhere.path, 'missing', 'of-today');
    const { code, stderr } = await backUp();
    const above = join(elsewhere.path, 'missing');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `keyledger: ${above} does not exist: create it first\n`,
    });
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

const PAGE_BYTES = 4_096;
/** The deadline for the checkpoint after the last write, on a busy machine. */
const AT_REST_WITHIN_MS = 20_000;
const WAL_BYTES = 'keyledger_event_log_wal_bytes';

embedded.describe('the embedded log of a service that runs', () => {
  let service: ServiceProcess;
  let file: string;

  const isEmpty = (): boolean => writeAheadBytes(file) === 0;

  beforeEach(async () => {
    file = join(backends.dataDir, 'events.db');
    service = await start();
  });

  it('has its write-ahead log taken over by the folding thread', async () => {
    // This connection leaves checkpoints to another one, like the connection of the service.
    const appending = new SqliteEventLog(file, {
      as: 'appender',
      synced: createSyncedRow(),
    });
    const observer = new Database(file);
    const long = event('x'.repeat((WRITE_AHEAD_PAGES + 100) * PAGE_BYTES), 'Unknown');
    await appending.append(freshStream(), [long], 'no-stream');
    await eventually('all of it is taken over', () => {
      const { written, takenOver } = writeAheadPages(observer)();
      return written === takenOver;
    });
    observer.close();
    await appending.close();
    await eventually('it is empty', isEmpty, AT_REST_WITHIN_MS);
  });

  it('is one file at rest, of which a plain copy is a whole backup', async () => {
    for (let number = 0; number < 300; number++) {
      const { status } = await service.client.post('/v1/end-users', { user: `user-${number}` });
      expect(status).toBe(201);
    }
    expect(isEmpty()).toBe(false);
    await eventually('the write-ahead log is empty', isEmpty, AT_REST_WITHIN_MS);
    expect((await scrape(service.client)).value(WAL_BYTES)).toBe(0);
    const { managementKey } = service;
    const restored = await freshBackends();
    for (const name of ['events.db', 'usage.db'])
      copyFileSync(join(backends.dataDir, name), join(restored.dataDir, name));
    const other = await startService({
      ...restored.settings,
      BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    });
    const { body } = await other.client.get('/v1/end-users?limit=1');
    expect(body).toMatchObject({ total_count: 300 });
    await other.stop();
    await restored.dispose();
  });

  it('becomes one file again when a reader that kept it is gone', async () => {
    const reader = new Database(file);
    reader.exec('BEGIN');
    reader.prepare('SELECT count(*) FROM events').get();
    for (let number = 0; number < 50; number++) {
      await service.client.post('/v1/end-users', { user: `user-${number}` });
    }
    expect((await scrape(service.client)).value(WAL_BYTES)).toBeGreaterThan(50 * PAGE_BYTES);
    reader.exec('COMMIT');
    reader.close();
    await eventually('the write-ahead log is empty', isEmpty, AT_REST_WITHIN_MS);
  });
});
