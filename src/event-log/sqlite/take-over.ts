import type Database from 'better-sqlite3';
import { WRITE_AHEAD_PAGES } from '../../sqlite/open-database.js';

/** What SQLite says of the write-ahead log: whether somebody was in the way, and pages in it and taken over from it. */
type Pages = [busy: number, written: number, takenOver: number];

/** The first has most of the pages to do, and commits overtake it; the second has so few that often none does. */
const TIMES = 2;

/**
 * Takes the write-ahead log over into the database for a connection in another thread, which would stand still for it
 * in every fiftieth commit or so.
 */
export class TakeOver {
  readonly #look;
  readonly #takeOver;

  constructor(db: Database.Database) {
    const prepare = (mode: string) => db.prepare<[], Pages>(`PRAGMA wal_checkpoint(${mode})`).raw();
    this.#look = prepare('NOOP');
    this.#takeOver = prepare('PASSIVE');
  }

  /**
   * Does so if it has grown long, and holds its thread for as long as the disk takes; appends go on beside it. The
   * write-ahead log begins anew with the next commit if none came until all of it was taken over.
   */
  ifLong(): void {
    const [, written = 0, takenOver] = this.#look.get() ?? [];
    if (written < WRITE_AHEAD_PAGES || written === takenOver) return;
    for (let time = 0; time < TIMES; time++) this.#takeOver.get();
  }
}
