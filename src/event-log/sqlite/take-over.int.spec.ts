import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type Database from 'better-sqlite3';
import { event, freshStream } from '../../../test/contracts/opened-log.js';
import { eventually } from '../../../test/harness/eventually.js';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { type WriteAheadPages, writeAheadPages } from '../../../test/harness/write-ahead-pages.js';
import { openDatabase, WRITE_AHEAD_PAGES } from '../../sqlite/open-database.js';
import { SqliteEventLog } from './sqlite-event-log.js';

/** Of the page size of the database, which is that of SQLite. */
const PAGE = 4_096;

describe('The write-ahead log of the embedded log', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let opened: SqliteEventLog[];
  let appending: SqliteEventLog;
  let observer: Database.Database;
  let pages: () => WriteAheadPages;

  function open(role: 'appends' | 'follows'): SqliteEventLog {
    const log = new SqliteEventLog(join(directory.path, 'events.db'), role);
    opened.push(log);
    return log;
  }

  beforeEach(() => {
    directory = makeTempDirectory();
    opened = [];
    appending = open('appends');
    observer = openDatabase(join(directory.path, 'events.db'), {});
    pages = writeAheadPages(observer);
  });

  afterEach(async () => {
    for (const log of opened) await log.close();
    observer.close();
    directory.remove();
  });

  const append = (count: number) =>
    appending.append(freshStream(), [event('x'.repeat(count * PAGE))], 'no-stream');

  it('is taken over by the connection that follows, and begins anew', async () => {
    await append(WRITE_AHEAD_PAGES + 100);
    await append(1);
    // Whoever appends leaves it to the other.
    expect(pages().takenOver).toBe(0);
    const following = open('follows');
    await eventually('all of it is taken over', () => {
      const { written, takenOver } = pages();
      return written > WRITE_AHEAD_PAGES && written === takenOver;
    });
    const { position } = await append(1);
    expect(pages()).toMatchObject({ takenOver: 0 });
    expect(pages().written).toBeLessThan(100);
    expect(await following.head()).toBe(position);
  });

  it('is taken over by a commit where nobody follows, once it is several times as long', async () => {
    for (let times = 0; times < 5; times++) await append(WRITE_AHEAD_PAGES + 100);
    expect(pages().takenOver).toBeGreaterThan(5 * WRITE_AHEAD_PAGES);
  });

  it('is left alone while it is short', async () => {
    const { position: before } = await append(WRITE_AHEAD_PAGES / 2);
    const following = open('follows');
    const woken = new AbortController();
    const batches = following.follow(before, woken.signal)[Symbol.asyncIterator]();
    const next = batches.next();
    const { position } = await append(1);
    // Woken by the look around that would have taken it over.
    expect(await next).toMatchObject({ value: { reached: position } });
    expect(pages().takenOver).toBe(0);
    woken.abort();
  });
});
