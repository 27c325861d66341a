import { parentPort, workerData } from 'node:worker_threads';
import type Database from 'better-sqlite3';
import { openDatabase, writeAhead } from '../../sqlite/open-database.js';
import { type Append, committing } from './commit.js';

// The program of a `CommitThread`: a message is what to commit, and its answer what became of that. At `close` it
// closes the database, after which nothing keeps the thread alive.

/** Small: the operating system caches the file as well. */
const PAGE_CACHE_KIB = 4 * 1024;

const db = openExisting(String(workerData));
const commit = committing(db);

parentPort?.on('message', (message: readonly Append[] | 'close') => {
  if (message !== 'close') {
    parentPort?.postMessage(commit(message));
    return;
  }
  db.close();
  parentPort?.close();
});

function openExisting(file: string): Database.Database {
  try {
    const opened = openDatabase(file, { fileMustExist: true, timeout: 0 });
    writeAhead(opened);
    opened.exec('PRAGMA synchronous = FULL');
    opened.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    return opened;
  } catch (error) {
    // The driver's own class of errors does not survive the way to another thread.
    throw new Error(`the event log cannot be opened for writing: ${String(error)}`, {
      cause: error,
    });
  }
}
