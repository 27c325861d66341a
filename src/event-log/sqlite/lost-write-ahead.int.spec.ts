import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type Database from 'better-sqlite3';
import { event, freshStream } from '../../../test/contracts/opened-log.js';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { Unavailable } from '../../kernel/errors.js';
import { FilesInPlace } from '../../sqlite/files-in-place.js';
import { openDatabase, writeAhead } from '../../sqlite/open-database.js';
import { Appender } from './appender.js';
import { LogFiles } from './log-files.js';
import { SCHEMA } from './schema.js';
import { WalCheckpointer } from './wal-checkpointer.js';

const UNKNOWN = 'it is unknown whether the events are stored';

describe('A write-ahead log that loses its name', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let db: Database.Database;
  let appender: Appender;
  let copies: number;
  /** Runs once, between the next commit and its answers. */
  let afterCommit: (() => void) | undefined;

  const path = (name: string): string => join(directory.path, name);
  const append = () => appender.append(freshStream(), [event()], 'no-stream');
  const removeWriteAhead = (): void => rmSync(path('events.db-wal'));

  beforeEach(async () => {
    directory = makeTempDirectory();
    const file = path('events.db');
    db = openDatabase(file, {});
    writeAhead(db);
    db.exec(SCHEMA);
    const exec = db.exec.bind(db);
    db.exec = (sql) => {
      const done = exec(sql);
      if (sql === 'COMMIT') {
        afterCommit?.();
        afterCommit = undefined;
      }
      return done;
    };
    const files = new LogFiles(db, file, new FilesInPlace([file, `${file}-wal`], () => undefined));
    files.opened();
    const observer = { committed: () => undefined, unsettled: () => undefined };
    appender = new Appender(db, observer, files);
    copies = 0;
    await append();
  });

  afterEach(() => {
    db.close();
    directory.remove();
  });

  /** Gives the number of events that a start would find if the process ended now. */
  function eventsAfterCrash(): number {
    const copy = path(`crash-${copies++}.db`);
    copyFileSync(path('events.db'), copy);
    const crashed = openDatabase(copy, {});
    try {
      return crashed.prepare<[], number>('SELECT count(*) FROM events').pluck().get() ?? 0;
    } finally {
      crashed.close();
    }
  }

  async function withReader(work: (reader: Database.Database) => Promise<void>): Promise<void> {
    const reader = openDatabase(path('events.db'), { readonly: true });
    try {
      reader.exec('BEGIN; SELECT count(*) FROM events');
      await work(reader);
    } finally {
      reader.close();
    }
  }

  it('is in events.db before an append is refused', async () => {
    removeWriteAhead();
    await expect(append()).rejects.toBeInstanceOf(Unavailable);
    expect(eventsAfterCrash()).toBe(1);
  });

  it('is in events.db before an append is answered that was just committed', async () => {
    afterCommit = removeWriteAhead;
    await append();
    expect(eventsAfterCrash()).toBe(2);
  });

  it('is waited for while a reader keeps it for a moment', async () => {
    await withReader(async (reader) => {
      await append();
      afterCommit = () => {
        removeWriteAhead();
        setImmediate(() => reader.exec('COMMIT'));
      };
      await append();
      expect(eventsAfterCrash()).toBe(3);
    });
  });

  it('leaves it unknown whether an append is stored while a reader keeps it for long', async () => {
    await withReader(async (reader) => {
      await append();
      afterCommit = removeWriteAhead;
      await expect(append()).rejects.toThrow(UNKNOWN);
      reader.exec('COMMIT');
    });
    await expect(append()).rejects.toBeInstanceOf(Unavailable);
    expect(eventsAfterCrash()).toBe(3);
  });

  it('is of no use without events.db: whether an append is stored is unknown', async () => {
    afterCommit = () => renameSync(path('events.db'), path('away'));
    await expect(append()).rejects.toThrow(UNKNOWN);
    await expect(append()).rejects.toBeInstanceOf(Unavailable);
  });

  it('is copied by the thread that empties it, while the thread of requests is busy', () => {
    const checkpointer = new WalCheckpointer(path('events.db'));
    removeWriteAhead();
    checkpointer.lookAround();
    checkpointer.close();
    expect(eventsAfterCrash()).toBe(1);
  });
});
