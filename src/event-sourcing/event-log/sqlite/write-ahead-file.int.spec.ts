import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type Database from 'better-sqlite3';
import { makeTempDirectory } from '../../../../test/support/harness/temp-directory.js';
import { enableWriteAhead, openDatabase } from '../../sqlite/open-database.js';
import { WriteAheadFile } from './write-ahead-file.js';

describe('Syncs of a write-ahead log', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let db: Database.Database;
  let writeAheadFile: WriteAheadFile;
  /** The syncs that the disk has begun. */
  let begun: { readonly end: () => void; readonly fail: (fault: Error) => void }[];

  beforeEach(() => {
    directory = makeTempDirectory();
    const file = join(directory.path, 'events.db');
    db = openDatabase(file, {});
    enableWriteAhead(db);
    db.exec('CREATE TABLE things (id INTEGER)');
    begun = [];
    writeAheadFile = new WriteAheadFile(
      file,
      () => new Promise<void>((end, fail) => begun.push({ end, fail })),
    );
  });

  afterEach(() => {
    db.close();
    directory.remove();
  });

  /** Asks for a sync, and notes how it ends. */
  function asked(): { outcome: unknown } {
    const caller: { outcome: unknown } = { outcome: undefined };
    writeAheadFile.sync().then(
      () => (caller.outcome = 'synced'),
      (fault: unknown) => (caller.outcome = fault),
    );
    return caller;
  }

  it('run one at a time, and who asks during one is answered by one that began later', async () => {
    const first = [asked(), asked()];
    await nextTurn();
    const later = [asked(), asked()];
    await nextTurn();
    expect(begun).toHaveLength(1);
    begun[0]?.end();
    await nextTurn();
    expect(first).toEqual(Array(2).fill({ outcome: 'synced' }));
    expect(later).toEqual(Array(2).fill({ outcome: undefined }));
    expect(begun).toHaveLength(2);
    begun[1]?.end();
    await nextTurn();
    expect(later).toEqual(Array(2).fill({ outcome: 'synced' }));
    expect(begun).toHaveLength(2);
  });

  it('never succeed after one that failed, as the system reports a lost write only once', async () => {
    const fault = new Error('EIO: i/o error, fdatasync');
    const reader = asked();
    await nextTurn();
    const append = asked();
    begun[0]?.fail(fault);
    await nextTurn();
    const later = asked();
    await nextTurn();
    for (const sync of begun) sync.end();
    await nextTurn();
    expect([reader, append, later]).toEqual(Array(3).fill({ outcome: fault }));
  });

  it('are waited for when the database is closed, which removes the file', async () => {
    const running = asked();
    await nextTurn();
    const waiting = asked();
    db.close();
    let isClosed = false;
    const closing = writeAheadFile.close().then(() => (isClosed = true));
    begun[0]?.end();
    await nextTurn();
    expect({ running, isClosed }).toEqual({ running: { outcome: 'synced' }, isClosed: false });
    begun[1]?.end();
    await closing;
    expect(waiting).toEqual({ outcome: 'synced' });
  });
});
