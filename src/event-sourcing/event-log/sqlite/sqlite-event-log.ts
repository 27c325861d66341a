import { statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Position, START } from '../../../kernel/position.js';
import { Unavailable } from '../../../kernel/errors.js';
import { guarded } from '../../sqlite/guarded.js';
import { isBusy } from '../../sqlite/sqlite-code.js';
import { openDatabase, writeAhead, WRITE_AHEAD_PAGES } from '../../sqlite/open-database.js';
import {
  type AppendResult,
  type EventBatch,
  type EventLog,
  type ExpectedRevision,
  type FollowOptions,
  type LogIdentity,
  type StoredEvent,
  type StreamPage,
  UnheldPositionError,
} from '../event-log.js';
import { Appender } from './appender.js';
import { AppendNotifier } from './append-notifier.js';
import { LogReader } from './log-reader.js';
import { rowOf } from './rows.js';
import { SCHEMA } from './schema.js';

/** The bound of a page of a stream. A request waits for its page, and this read must not hold up other requests. */
const PAGE_BYTES = 1_000_000;
/** The bound of a batch of `follow`. */
const BATCH_BYTES = 8_000_000;
/** The most rows that are searched at a time, so that a search for rare types does not block the event loop. */
const SEARCH_WINDOW = 20_000;
/** How often the log looks for events that another process or another thread wrote. */
const FOREIGN_WRITES_EVERY_MS = 100;
/** How long opening waits for another process that is creating the same database. */
const OPEN_TIMEOUT_MS = 5_000;
/** The write-ahead length at which commits checkpoint instead of a thread, which may be busy or restart for seconds. */
const LONGEST_WRITE_AHEAD_PAGES = 5 * WRITE_AHEAD_PAGES;
/** A small cache, because the log is read in order and the operating system caches the file as well. */
const PAGE_CACHE_KIB = 2 * 1024;

/** The part that copies the write-ahead log into the database: the commits of the connection, or another thread. */
export type Checkpoints = 'by-commits' | 'by-thread';

/** An observer that is told what an operator should know about the files. */
export interface SqliteLogObserver {
  /** Called when the disk fails and the outcome of an append stays unknown, before the append is answered. */
  unsettled?(fault: unknown): void;
}

/**
 * The event log in one SQLite file. A position contains a row id. SQLite assigns row ids in commit order and without
 * gaps, because it has one writer at a time, and a rollback frees the row ids of its transaction.
 */
export class SqliteEventLog implements EventLog {
  readonly #db: Database.Database;
  readonly #appender: Appender;
  readonly #growth = new AppendNotifier();
  readonly #watch: NodeJS.Timeout;
  readonly #reader: LogReader;
  /** The file that is open. A file that takes its place would have another inode. */
  readonly #inode: string | undefined;
  #seenHead = 0;

  /**
   * @param file path of the database; it is created when it does not exist. `:memory:` keeps nothing.
   * @param checkpoints what checkpoints the write-ahead log.
   */
  constructor(
    file: string,
    checkpoints: Checkpoints = 'by-commits',
    observer: SqliteLogObserver = {},
  ) {
    this.#db = openDatabase(file, { timeout: OPEN_TIMEOUT_MS });
    writeAhead(
      this.#db,
      checkpoints === 'by-thread' ? LONGEST_WRITE_AHEAD_PAGES : WRITE_AHEAD_PAGES,
    );
    this.#db.exec('PRAGMA synchronous = FULL');
    this.#db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    this.#db.exec(SCHEMA);
    // From here on a lock of another connection must not block the event loop. The appender waits by itself.
    this.#db.exec('PRAGMA busy_timeout = 0');
    const appends = {
      committed: () => this.#growth.notify(),
      unsettled: (fault: unknown) => observer.unsettled?.(fault),
    };
    this.#appender = new Appender(this.#db, appends);
    this.#reader = new LogReader(this.#db);
    this.#inode = inodeOf(file);
    this.#seenHead = this.#reader.headRow();
    this.#watch = setInterval(() => this.wake(), FOREIGN_WRITES_EVERY_MS).unref();
  }

  async append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return this.#appender.append(stream, events, expected);
  }

  async readStream(stream: string, from = 0): Promise<StreamPage> {
    const page = read(() => this.#reader.page(stream, from, PAGE_BYTES));
    // A caller who reads a long stream must not hold up others.
    if (page.more) await nextTurn();
    return page;
  }

  async *follow(
    after: Position,
    signal: AbortSignal,
    { types }: FollowOptions = {},
  ): AsyncIterable<EventBatch> {
    if (!this.#holds(after)) throw new UnheldPositionError(after);
    let position = after;
    while (!signal.aborted) {
      const { batch, more } = this.#batch(position, types);
      if (batch.reached === position) {
        await this.#growth.next(signal);
        continue;
      }
      yield batch;
      position = batch.reached;
      if (more) await nextTurn();
    }
  }

  wake(): void {
    try {
      this.#see(this.#reader.headRow());
    } catch {
      // The next look tries again. If the fault lasts, an append or a read fails and reports it.
    }
  }

  async head(): Promise<Position> {
    return read(() => {
      const head = this.#reader.head();
      this.#see(rowOf(head));
      return head;
    });
  }

  async identity(): Promise<LogIdentity | null> {
    return read(() => this.#reader.identity());
  }

  async ping(): Promise<void> {
    read(() => {
      if (!this.#db.memory && inodeOf(this.#db.name) !== this.#inode) {
        throw new Unavailable('event log', `${this.#db.name} was removed or replaced in use`);
      }
      requireWritable(this.#db);
    });
    await this.head();
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.#appender.idle();
    this.#db.close();
  }

  #holds(position: Position): boolean {
    if (position === START) return true;
    return read(() => this.#reader.event(rowOf(position))?.position === position);
  }

  #batch(
    after: Position,
    types: readonly string[] | undefined,
  ): { batch: EventBatch; more: boolean } {
    return read(() => {
      const from = rowOf(after);
      // The head is read first: an event that is written meanwhile is in the next batch.
      const head = this.#reader.headRow();
      const end = Math.max(from, Math.min(head, from + SEARCH_WINDOW));
      if (end === from) return { batch: { events: [], reached: after }, more: false };
      const { events, reached } = this.#reader.batch(from, end, types, BATCH_BYTES);
      const last = events.at(-1);
      const position =
        rowOf(last?.position ?? START) === reached ? last : this.#reader.event(reached);
      if (!position) throw new Error(`the event log lost its row ${reached}`);
      return { batch: { events, reached: position.position }, more: reached < head };
    });
  }

  /** Wakes the followers when the log has grown. */
  #see(head: number): void {
    if (head === this.#seenHead) return;
    this.#seenHead = head;
    this.#growth.notify();
  }
}

function read<Result>(work: () => Result): Result {
  return guarded('event log', work);
}

/** Returns the device and inode of a file; undefined without a file. Opens nothing: a close would drop SQLite's locks. */
function inodeOf(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** @throws when the database cannot be written. `BEGIN IMMEDIATE` would begin to read a database that is read-only. */
function requireWritable(db: Database.Database): void {
  try {
    db.exec('DELETE FROM events WHERE FALSE');
  } catch (error) {
    // Another connection writes.
    if (!isBusy(error)) throw error;
  }
}
