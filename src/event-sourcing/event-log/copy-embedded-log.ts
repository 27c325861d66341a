import { closeSync, openSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { messageOf } from '../../kernel/errors.js';
import { useDatabase } from '../sqlite/open-database.js';
import { embeddedLogFile } from './embedded-event-log.js';

const MOST_FAULTS = 5;

/**
 * Copies an embedded log of a data directory, as it is at this moment, and checks the copy. A
 * running service goes on with its commits, but cannot empty its write-ahead log meanwhile.
 * @param directory an empty directory. The copy makes it a data directory.
 * @throws an Error that names the log when it cannot be copied, and when the copy is damaged.
 */
export function copyEmbeddedLog(dataDir: string, directory: string, name?: string) {
  const log = embeddedLogFile(dataDir, name);
  const file = embeddedLogFile(directory, name);
  try {
    // SQLite fills an empty file. A new file would get the mode of all files of the process.
    closeSync(openSync(file, 'wx', 0o600));
    useDatabase(log, (db) => db.exec(`VACUUM INTO '${file.replaceAll("'", "''")}'`));
    return { file, events: useDatabase(file, countSoundEvents), bytes: statSync(file).size };
  } catch (cause) {
    throw new Error(`the event log ${log} cannot be copied: ${messageOf(cause)}`, { cause });
  }
}

/** Counts the events. @throws Error when a page is damaged, or an index does not match. */
function countSoundEvents(db: Database.Database): number {
  const faults = db.prepare<[], string>(`PRAGMA integrity_check(${MOST_FAULTS})`).pluck().all();
  if (faults.join() !== 'ok') throw new Error(`the copy is damaged: ${faults.join('; ')}`);
  return db.prepare<[], number>('SELECT count(*) FROM events').pluck().get() ?? 0;
}
