import { closeSync, copyFileSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { openEmbeddedLog } from '../../src/event-log/embedded-event-log.js';
import { openDatabase } from '../../src/sqlite/open-database.js';
import { event, freshStream } from '../contracts/opened-log.js';

const ROUNDS = 4;
const EACH = 100;
const PAGE_BYTES = 4_096;
const FILLER = 'x'.repeat(500);

/** Appends to the embedded log of a directory. Its write-ahead log stays, as with a busy service. */
async function press(dataDir: string): Promise<void> {
  const log = openEmbeddedLog(dataDir, 'by-thread');
  const stream = freshStream();
  await log.append(stream, [event({ FILLER })], 'no-stream');
  for (let revision = 0; revision < ROUNDS; revision++) {
    const others = Array.from({ length: EACH }, () =>
      log.append(freshStream(), [event({ FILLER })], 'no-stream'),
    );
    await Promise.all([...others, log.append(stream, [event({ FILLER })], revision)]);
  }
  await log.close();
}

/**
 * Copies the files of a log like `cp` under load, where many changes happen while one file is copied.
 * @returns the content of each copied data directory, by its fault.
 */
export const TORN_COPIES: readonly (readonly [
  what: string,
  make: (work: string, copy: string) => Promise<void>,
])[] = [
  [
    'the events.db of one moment and the events.db-wal of a later one',
    async (work, copy) => {
      const reader = await held(work);
      await press(work);
      copyFileSync(fileIn(work), fileIn(copy));
      // A checkpoint copies the write-ahead log meanwhile, and the write-ahead log begins again.
      reader.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      await press(work);
      reader.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      await press(work);
      copyFileSync(`${fileIn(work)}-wal`, `${fileIn(copy)}-wal`);
      reader.close();
    },
  ],
  [
    'an events.db whose pages are of two moments, without its events.db-wal',
    async (work, copy) => {
      const reader = await held(work);
      await press(work);
      reader.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      copyFileSync(fileIn(work), fileIn(copy));
      await press(work);
      reader.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      const later = readFileSync(fileIn(work));
      const half = Math.floor(later.length / PAGE_BYTES / 2) * PAGE_BYTES;
      const descriptor = openSync(fileIn(copy), 'r+');
      writeSync(descriptor, later.subarray(0, PAGE_BYTES), 0, PAGE_BYTES, 0);
      writeSync(descriptor, later.subarray(half), 0, later.length - half, half);
      closeSync(descriptor);
      reader.close();
    },
  ],
];

/** A second connection prevents a checkpoint when the log is closed. */
async function held(dataDir: string) {
  await openEmbeddedLog(dataDir, 'by-thread').close();
  return openDatabase(fileIn(dataDir), {});
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'events.db');
}
