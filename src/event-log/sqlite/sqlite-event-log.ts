import type Database from 'better-sqlite3';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Position, START } from '../../kernel/position.js';
import { Unavailable } from '../../kernel/errors.js';
import type { FilesInPlace } from '../../sqlite/files-in-place.js';
import { guarded } from '../../sqlite/guarded.js';
import { openDatabase, writeAhead, WRITE_AHEAD_PAGES } from '../../sqlite/open-database.js';
import type {
  AppendResult,
  EventBatch,
  EventLog,
  ExpectedRevision,
  LogIdentity,
  Place,
  ReadAllOptions,
  RecordedEvent,
  StoredEvent,
} from '../event-log.js';
import { Appender } from './appender.js';
import { AppendNotifier } from './append-notifier.js';
import { LogFiles } from './log-files.js';
import { LogReader } from './log-reader.js';
import type { Checkpoints } from './checkpoints.js';
import { rowOf } from './rows.js';
import { SCHEMA } from './schema.js';
import { requireWritable } from './writable.js';

/** The bound of a page of a stream. A request waits for its page, and this read must not hold up other requests. */
const PAGE_BYTES = 1_000_000;
/** The bound of a batch of `readAll` or `follow`. */
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
  readonly #files: LogFiles;
  readonly #growth = new AppendNotifier();
  readonly #watch: NodeJS.Timeout;
  readonly #reader: LogReader;
  #seenHead = 0;

  /**
   * @param file path of the database; it is created when it does not exist. `:memory:` keeps nothing.
   * @param checkpoints what checkpoints the write-ahead log.
   * @param files the files that must stay in place. When one file is missing or replaced, an append would be lost, so
   * the log refuses all appends.
   */
  constructor(
    file: string,
    checkpoints: Checkpoints = 'by-commits',
    observer: SqliteLogObserver = {},
    files?: FilesInPlace,
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
    this.#files = new LogFiles(this.#db, file, files);
    const appends = {
      committed: () => this.#growth.notify(),
      unsettled: (fault: unknown) => observer.unsettled?.(fault),
    };
    this.#appender = new Appender(this.#db, appends, this.#files);
    this.#reader = new LogReader(this.#db);
    this.#seenHead = this.#reader.headRow();
    this.#files.opened();
    this.#watch = setInterval(() => this.wake(), FOREIGN_WRITES_EVERY_MS).unref();
  }

  async append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return this.#appender.append(stream, events, expected);
  }

  async readStream(stream: string, from = 0): Promise<RecordedEvent[]> {
    const { events, cut } = read(() => this.#reader.page(stream, from, PAGE_BYTES));
    // A caller who reads a long stream must not hold up others.
    if (cut) await nextTurn();
    return events;
  }

  async *readAll(after: Position, { types }: ReadAllOptions = {}): AsyncIterable<EventBatch> {
    const head = read(() => this.#reader.headRow());
    let position = after;
    for (;;) {
      const { batch } = this.#batch(position, types);
      if (batch.reached === position) return;
      yield batch;
      position = batch.reached;
      // Ends here, because while others write, the end of the log is never reached.
      if (rowOf(position) >= head) return;
      await nextTurn();
    }
  }

  async *follow(
    after: Position,
    signal: AbortSignal,
    { types }: ReadAllOptions = {},
  ): AsyncIterable<EventBatch> {
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
      this.#files.problem();
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
    const problem = this.#files.problem();
    if (problem !== undefined) throw new Unavailable('event log', new Error(problem));
    requireWritable(this.#db);
    await this.head();
  }

  async countAfter(position: Position, { types }: ReadAllOptions = {}): Promise<number> {
    return read(() => {
      const from = rowOf(position);
      // Row ids have no gaps: nothing is ever deleted, and a rollback gives its ids back.
      if (types === undefined) return Math.max(0, this.#reader.headRow() - from);
      return this.#reader.countAfter(from, types);
    });
  }

  async holds(position: Position): Promise<boolean> {
    if (position === START) return true;
    return read(() => {
      const row = rowOf(position);
      const event = this.#reader.event(row);
      return event ? event.position === position : row < this.#reader.headRow();
    });
  }

  async place(position: Position): Promise<Place> {
    return read(() => {
      const head = this.#reader.headRow();
      const passed = Math.min(rowOf(position), head);
      return { passed, ahead: head - passed, nextOccurredAt: this.#reader.nextOccurredAt(passed) };
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.#appender.idle();
    this.#db.close();
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
