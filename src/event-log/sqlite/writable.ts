import type Database from 'better-sqlite3';
import { messageOf, Unavailable } from '../../kernel/errors.js';
import { isBusy } from '../../sqlite/sqlite-code.js';

/** Changes nothing, and needs the right to write. */
const NO_CHANGE = 'DELETE FROM events WHERE FALSE';

/**
 * SQLite opens a file that may not be written for reading alone, and stays with that.
 * @throws Unavailable where it did so.
 */
export function requireWritable(db: Database.Database): void {
  try {
    db.exec(NO_CHANGE);
  } catch (cause) {
    // Another connection writes.
    if (isBusy(cause)) return;
    const cure = `${db.name} may not be written: allow it, then restart the service`;
    throw new Unavailable('event log', new Error(`${cure} (${messageOf(cause)})`, { cause }));
  }
}
