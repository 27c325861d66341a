import type Database from 'better-sqlite3';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { messageOf } from '../../kernel/errors.js';
import { type Position, START } from '../../kernel/position.js';
import { openDatabase, orClosed } from '../../sqlite/open-database.js';
import type { EventBatch, LogIdentity } from '../event-log.js';
import { damageIn, type Thoroughness } from './damage.js';
import { LogReader } from './log-reader.js';
import { rowOf } from './rows.js';
import { isOutdated } from './schema.js';
import { writeAheadBytes } from './wal-checkpointer.js';

/** Rows that are read at a time. */
const WINDOW = 20_000;
const BATCH_BYTES = 8_000_000;
/** A service that starts may hold a lock for a moment. */
const WAIT_MS = 5_000;

/**
 * The file of an embedded log, or a copy of one, which is only read. Where no commit stands in a write-ahead log, SQLite
 * removes what it made beside the file when this is closed.
 */
export class LogFile {
  readonly #db: Database.Database;
  readonly #reader: LogReader;
  readonly #headRow: number;

  /** @throws when it is no event log, or its first pages are damaged. */
  constructor(file: string) {
    const readonly = writeAheadBytes(file) > 0;
    this.#db = openDatabase(file, { readonly, fileMustExist: true, timeout: WAIT_MS });
    this.#reader = orClosed(this.#db, () => new LogReader(this.#db));
    this.#headRow = orClosed(this.#db, () => this.#reader.headRow());
  }

  /**
   * Writes the log as it is at this moment into one file. A single transaction reads it all. It keeps the write-ahead log of
   * a service that runs from being emptied meanwhile, and holds up no commit.
   * @param target an empty file, or a path without one.
   */
  copyInto(target: string): void {
    this.#db.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`);
  }

  readAll(after: Position): AsyncIterable<EventBatch> {
    return this.#from(rowOf(after));
  }

  /** The last events, so many or a few more. */
  readLast(count: number): AsyncIterable<EventBatch> {
    return this.#from(Math.max(0, this.#headRow - count));
  }

  /** The number of events, where none is missing. */
  get length(): number {
    return this.#headRow;
  }

  /** Whether an earlier release made the indexes. The next start makes them anew. */
  get isOutdated(): boolean {
    return isOutdated(this.#db);
  }

  /** How much of the log lies up to a position, of 1. */
  shareUpTo(position: Position): number {
    return Math.min(1, rowOf(position) / Math.max(1, this.#headRow));
  }

  head(): Position {
    return this.#reader.head();
  }

  /** When the last event happened; null in an empty log. */
  headOccurredAt(): string | null {
    return this.#reader.nextOccurredAt(this.#headRow - 1);
  }

  identity(): LogIdentity | null {
    return this.#reader.identity();
  }

  /**
   * How many events stand between the end of the log and a position that a longer copy of the log gave: 0 where the log
   * holds the position, null where another event is there.
   */
  lacks(position: Position): number | null {
    const row = rowOf(position);
    if (position === START) return 0;
    if (row > this.#headRow) return row - this.#headRow;
    return this.#reader.event(row)?.position === position ? 0 : null;
  }

  /** The faults of the file, in words; empty where nothing is. */
  damage(thoroughness: Thoroughness = 'whole'): readonly string[] {
    try {
      return damageIn(this.#db, thoroughness);
    } catch (error) {
      return [messageOf(error)];
    }
  }

  close(): void {
    this.#db.close();
  }

  async *#from(after: number): AsyncIterable<EventBatch> {
    for (let row = after; row < this.#headRow;) {
      const end = Math.min(this.#headRow, row + WINDOW);
      const { events, reached } = this.#reader.batch(row, end, undefined, BATCH_BYTES);
      yield { events, reached: events.at(-1)?.position ?? START };
      row = reached;
      await nextTurn();
    }
  }
}
