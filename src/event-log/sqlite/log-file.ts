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

/** The most rows that are read at a time. */
const WINDOW = 20_000;
const BATCH_BYTES = 8_000_000;
/** How long a statement waits for a lock, which a service that starts may hold for a moment. */
const WAIT_MS = 5_000;

/**
 * The file of an embedded log, or a copy of such a file, opened only to read it. SQLite makes files beside the log. If
 * the write-ahead log is empty, SQLite removes these files when the `LogFile` is closed.
 */
export class LogFile {
  readonly #db: Database.Database;
  readonly #reader: LogReader;
  readonly #headRow: number;

  /** @throws when the file is no event log, or its first pages are damaged. */
  constructor(file: string) {
    const readonly = writeAheadBytes(file) > 0;
    this.#db = openDatabase(file, { readonly, fileMustExist: true, timeout: WAIT_MS });
    this.#reader = orClosed(this.#db, () => new LogReader(this.#db));
    this.#headRow = orClosed(this.#db, () => this.#reader.headRow());
  }

  /**
   * Writes the log as it is at this moment into one file. A single transaction reads the whole log. Meanwhile a running
   * service cannot empty its write-ahead log, but no commit waits.
   * @param target an empty file, or a path without a file.
   */
  copyInto(target: string): void {
    this.#db.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`);
  }

  readAll(after: Position): AsyncIterable<EventBatch> {
    return this.#from(rowOf(after));
  }

  /** Delivers the last `count` events, or all events of a shorter log. */
  readLast(count: number): AsyncIterable<EventBatch> {
    return this.#from(Math.max(0, this.#headRow - count));
  }

  /** The number of events, if none is missing. */
  get length(): number {
    return this.#headRow;
  }

  /** Whether an earlier release made the indexes. The service replaces such indexes at its next start. */
  get isOutdated(): boolean {
    return isOutdated(this.#db);
  }

  /** Returns the share of the log up to a position, from 0 to 1. */
  shareUpTo(position: Position): number {
    return Math.min(1, rowOf(position) / Math.max(1, this.#headRow));
  }

  head(): Position {
    return this.#reader.head();
  }

  /** Returns when the last event happened; null in an empty log. */
  headOccurredAt(): string | null {
    return this.#reader.nextOccurredAt(this.#headRow - 1);
  }

  identity(): LogIdentity | null {
    return this.#reader.identity();
  }

  /**
   * Returns how many events this log lacks up to a position, which a longer copy of the log may have. Returns 0 when
   * this log holds the position, and null when this log has another event in its place.
   */
  lacks(position: Position): number | null {
    const row = rowOf(position);
    if (position === START) return 0;
    if (row > this.#headRow) return row - this.#headRow;
    return this.#reader.event(row)?.position === position ? 0 : null;
  }

  /** Returns the faults of the file, in words; empty when there are none. */
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
