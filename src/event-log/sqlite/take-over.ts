import type Database from 'better-sqlite3';
import { WRITE_AHEAD_PAGES } from '../../sqlite/open-database.js';

/** What SQLite says of the write-ahead log: whether somebody was in the way, and pages in it and taken over from it. */
type Pages = [busy: number, written: number, takenOver: number];

/** The first finds many; the disk is waited for in the second, if no commit comes between. */
const TIMES_BESIDE = 2;

/**
 * Takes the write-ahead log over into the database for a connection in another thread, which would stand still for it
 * in every fiftieth commit or so.
 */
export class TakeOver {
  readonly #look;
  readonly #beside;
  readonly #whole;

  constructor(db: Database.Database) {
    const prepare = (mode: string) => db.prepare<[], Pages>(`PRAGMA wal_checkpoint(${mode})`).raw();
    this.#look = prepare('NOOP');
    this.#beside = prepare('PASSIVE');
    this.#whole = prepare('RESTART');
  }

  /**
   * Does so if it has grown long, and holds its thread for as long as the disk takes. Appends go on beside it, and wait
   * while the last few pages are taken over, so that the write-ahead log begins anew.
   */
  ifLong(): void {
    const [, written = 0, takenOver] = this.#look.get() ?? [];
    if (written < WRITE_AHEAD_PAGES || written === takenOver) return;
    for (let time = 0; time < TIMES_BESIDE; time++) this.#beside.get();
    this.#whole.get();
  }
}
