import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type Database from 'better-sqlite3';
import { event, freshStream } from '../../../../test/contracts/opened-log.js';
import { makeTempDirectory } from '../../../../test/support/harness/temp-directory.js';
import {
  type WriteAheadPages,
  writeAheadPages,
} from '../../../../test/support/harness/write-ahead-pages.js';
import { openDatabase, WRITE_AHEAD_PAGES, writeAheadBytes } from '../../sqlite/open-database.js';
import { Checkpointer } from './checkpointer.js';
import { createSyncedRow } from '../connection-roles.js';
import { SqliteEventLog } from './sqlite-event-log.js';

/** The page size of the database, which is SQLite's default. */
const PAGE = 4_096;
/** The same value as in the module. */
const QUIET_MS = 2_000;
const MINUTE_MS = 60_000;

describe('The write-ahead log of the embedded log', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let file: string;
  let appending: SqliteEventLog;
  let observer: Database.Database;
  let pages: () => WriteAheadPages;
  let checkpointing: Database.Database;
  let checkpointer: Checkpointer;
  let now: number;

  beforeEach(() => {
    directory = makeTempDirectory();
    file = join(directory.path, 'events.db');
    appending = new SqliteEventLog(file, { as: 'appender', synced: createSyncedRow() });
    observer = openDatabase(file, {});
    pages = writeAheadPages(observer);
    now = 0;
    checkpointing = openDatabase(file, { timeout: 0 });
    checkpointer = new Checkpointer(checkpointing);
  });

  afterEach(async () => {
    await appending.close();
    checkpointing.close();
    observer.close();
    directory.remove();
  });

  const lookAround = async (): Promise<void> =>
    checkpointer.lookAround(await appending.head(), now);

  const append = (count: number) =>
    appending.append(freshStream(), [event('x'.repeat(count * PAGE))], 'no-stream');

  /** Looks at the write-ahead log every 100 ms for a time. `between` runs before each look. */
  async function lookFor(ms: number, between: () => unknown = () => undefined): Promise<void> {
    for (const end = now + ms; now < end; now += 100) {
      await between();
      await lookAround();
    }
  }

  it('is taken over when it is long, and begins anew', async () => {
    await append(WRITE_AHEAD_PAGES + 100);
    // Appending makes no checkpoint; the checkpointer does.
    expect(pages().takenOver).toBe(0);
    await lookAround();
    const { written, takenOver } = pages();
    expect(written).toBeGreaterThan(WRITE_AHEAD_PAGES);
    expect(takenOver).toBe(written);
    await append(1);
    expect(pages()).toMatchObject({ takenOver: 0 });
    expect(pages().written).toBeLessThan(100);
  });

  it('is taken over by a commit where no thread does, once it is several times as long', async () => {
    for (let times = 0; times < 5; times++) await append(WRITE_AHEAD_PAGES + 100);
    expect(pages().takenOver).toBeGreaterThan(5 * WRITE_AHEAD_PAGES);
  });

  it('is left alone while it is short and commits have only just ceased', async () => {
    await append(1);
    await lookFor(QUIET_MS - 100);
    expect(pages().takenOver).toBe(0);
  });

  it('is empty soon after the last commit, and the log is all in one file', async () => {
    const { position } = await append(10);
    await lookFor(QUIET_MS + 200);
    expect(writeAheadBytes(file)).toBe(0);
    const copy = join(directory.path, 'copy.db');
    copyFileSync(file, copy);
    const copied = new SqliteEventLog(copy);
    expect(await copied.head()).toBe(position);
    await copied.close();
  });

  it('stays while a reader keeps it, and is emptied when that is gone', async () => {
    await append(1);
    observer.exec('BEGIN');
    observer.prepare('SELECT count(*) FROM events').get();
    await append(1_000);
    await lookFor(MINUTE_MS);
    expect(writeAheadBytes(file)).toBeGreaterThan(1_000 * PAGE);
    observer.exec('COMMIT');
    await lookFor(QUIET_MS);
    expect(writeAheadBytes(file)).toBe(0);
  });
});
