import type Database from 'better-sqlite3';
import { messageOf, Unavailable } from '../../kernel/errors.js';
import { isBusy } from '../../sqlite/sqlite-code.js';

/** A statement that changes nothing, but needs the right to write. */
const NO_CHANGE = 'DELETE FROM events WHERE FALSE';

/**
 * Checks the right to write. Without this right SQLite opens a file as read-only, and the connection stays read-only.
 * @throws Unavailable when the database cannot be written.
 */
export function requireWritable(db: Database.Database): void {
  try {
    db.exec(NO_CHANGE);
  } catch (cause) {
    // Another connection writes.
    if (isBusy(cause)) return;
    const cure = `${db.name} is not writable: allow writing, then restart the service`;
    throw new Unavailable('event log', new Error(`${cure} (${messageOf(cause)})`, { cause }));
  }
}
