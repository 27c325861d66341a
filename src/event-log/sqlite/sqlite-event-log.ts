import type Database from 'better-sqlite3';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { isEventMetadata } from '../../kernel/metadata.js';
import { type Position, START } from '../../kernel/position.js';
import { Unavailable } from '../../kernel/errors.js';
import type { FilesInPlace } from '../../sqlite/files-in-place.js';
import { guarded } from '../../sqlite/guarded.js';
import { UP_TO } from '../../sqlite/limit.js';
import { openDatabase, writeAhead, WRITE_AHEAD_PAGES } from '../../sqlite/open-database.js';
import type {
  AppendResult,
  EventBatch,
  EventLog,
  ExpectedRevision,
  Place,
  ReadAllOptions,
  StoredEvent,
  StreamEvent,
} from '../event-log.js';
import { Appender } from './appender.js';
import { Change } from './change.js';
import { LogFiles } from './log-files.js';
import { LogRange } from './log-range.js';
import type { Role } from './role.js';
import {
  json,
  positionOf,
  rowOf,
  sizeOf,
  STREAM_COLUMNS,
  streamEvent,
  type StreamRow,
} from './rows.js';
import { makeSchema, ofStream } from './schema.js';
import { take } from './take.js';
import { requireWritable } from './writable.js';

/** Characters of JSON in a page of a stream, which requests wait for: reading it must not hold up others. */
const PAGE_SIZE = 1_000_000;
/** Rows searched at a time for wanted types, so that a search through many others does not hold the event loop. */
const SEARCH_WINDOW = 20_000;
/** How often the log looks for events that another connection wrote: another process's, or another thread's. */
const FOREIGN_WRITES_EVERY_MS = 100;
/** How long opening waits for another process that is just making the same database. */
const OPEN_TIMEOUT_MS = 5_000;
/** For the seconds in which the thread that takes it over may be busy, or begun anew. */
const LONGEST_WRITE_AHEAD_PAGES = 5 * WRITE_AHEAD_PAGES;
/** Small: the log is read in order, and the operating system caches the file as well. */
const PAGE_CACHE_KIB = 2 * 1024;

/** Those wanted; undefined wants all. */
type Types = ReadAllOptions['types'];

/**
 * The event log in one SQLite file. Positions are row ids, which SQLite hands out in commit order and without a
 * gap, because it has one writer at a time and takes back those of a transaction that it rolls back.
 */
export class SqliteEventLog implements EventLog {
  readonly #db: Database.Database;
  readonly #appender: Appender;
  readonly #files: LogFiles;
  readonly #change = new Change();
  readonly #watch: NodeJS.Timeout;
  readonly #stream;
  readonly #head;
  readonly #lastUpTo;
  readonly #metadataAfter;
  readonly #countAfter;
  /** By how many types are wanted; undefined wants all. */
  readonly #ranges = new Map<number | undefined, LogRange>();
  #seenHead = 0;

  /**
   * @param file path of the database; it is created when it does not exist. `:memory:` keeps nothing.
   * @param role whether another thread takes the write-ahead log over.
   * @param unsettled told, before any answer, that the disk fails and that the outcome of an append stays unknown.
   * @param files those without which an append would be lost, and is refused.
   */
  constructor(
    file: string,
    role: Role = 'by-itself',
    unsettled: (fault: unknown) => void = () => undefined,
    files?: FilesInPlace,
  ) {
    this.#db = openDatabase(file, { timeout: OPEN_TIMEOUT_MS });
    writeAhead(this.#db, role === 'appends' ? LONGEST_WRITE_AHEAD_PAGES : WRITE_AHEAD_PAGES);
    this.#db.exec('PRAGMA synchronous = FULL');
    this.#db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    makeSchema(this.#db);
    // From here on a lock held by another connection must not block the event loop: the appender waits by itself.
    this.#db.exec('PRAGMA busy_timeout = 0');
    this.#files = new LogFiles(this.#db, file, files);
    const observer = { committed: () => this.#change.notify(), unsettled };
    this.#appender = new Appender(this.#db, observer, this.#files);
    this.#stream = this.#db
      .prepare<[number, number, { stream: string }], StreamRow>(
        `SELECT ${STREAM_COLUMNS} FROM events WHERE ${ofStream(':stream')} AND revision >= ? ORDER BY revision ${UP_TO}`,
      )
      .raw();
    this.#head = this.#db
      .prepare<[], number>('SELECT coalesce(max(position), 0) FROM events')
      .pluck();
    this.#lastUpTo = this.#db.prepare<[number], { position: number; id: string }>(
      'SELECT position, id FROM events WHERE position <= ? ORDER BY position DESC LIMIT 1',
    );
    this.#metadataAfter = this.#db
      .prepare<[number], string>(
        'SELECT metadata FROM events WHERE position > ? ORDER BY position LIMIT 1',
      )
      .pluck();
    this.#countAfter = this.#db
      .prepare<[number, string], number>(
        'SELECT count(*) FROM events WHERE position > ? AND type IN (SELECT value FROM json_each(?))',
      )
      .pluck();
    this.#seenHead = this.#head.get() ?? 0;
    this.#files.opened();
    this.#watch = setInterval(() => {
      this.#lookAround();
    }, FOREIGN_WRITES_EVERY_MS).unref();
  }

  async append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return this.#appender.append(stream, events, expected);
  }

  async readStream(stream: string, from = 0): Promise<StreamEvent[]> {
    const { events, next } = read(() =>
      take(
        (taken, limit) => {
          const rows = this.#stream.all(from + taken, limit, { stream });
          return { events: rows.map(streamEvent), size: sizeOf(rows) };
        },
        undefined,
        PAGE_SIZE,
      ),
    );
    // Whoever reads on, through a long stream, must not hold up everybody else.
    if (next !== undefined) await nextTurn();
    return events;
  }

  readAll(after: Position, { types }: ReadAllOptions = {}): AsyncIterable<EventBatch> {
    return { [Symbol.asyncIterator]: () => this.#batches(after, types) };
  }

  async *follow(
    after: Position,
    signal: AbortSignal,
    options: ReadAllOptions = {},
  ): AsyncIterable<EventBatch> {
    let position = after;
    let first: number | undefined;
    while (!signal.aborted) {
      const { batch, more, next } = this.#readBatch(position, options.types, first);
      first = next;
      if (batch.reached === position) {
        await this.#change.next(signal);
        continue;
      }
      yield batch;
      position = batch.reached;
      if (more) await nextTurn();
    }
  }

  async head(): Promise<Position> {
    return read(() => {
      const last = this.#lastUpTo.get(Number.MAX_SAFE_INTEGER);
      if (!last) return START;
      this.#see(last.position);
      return positionOf(last.position, last.id);
    });
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
      // Row ids have no gaps: nothing is ever deleted, and what is rolled back gives its id back.
      if (types === undefined) return Math.max(0, (this.#head.get() ?? 0) - from);
      return this.#countAfter.get(from, JSON.stringify(types)) ?? 0;
    });
  }

  async holds(position: Position): Promise<boolean> {
    return read(() => this.#positionUpTo(rowOf(position)) === position);
  }

  async place(position: Position): Promise<Place> {
    return read(() => {
      const head = this.#head.get() ?? 0;
      const passed = Math.min(rowOf(position), head);
      const next = passed < head ? this.#metadataAfter.get(passed) : undefined;
      const metadata = json(next ?? 'null');
      const nextOccurredAt = isEventMetadata(metadata) ? metadata.occurred_at : null;
      return { passed, ahead: head - passed, nextOccurredAt };
    });
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.#appender.idle();
    this.#db.close();
  }

  /** No generator, which would hold on to a batch while the next is awaited. */
  #batches(after: Position, types: Types): AsyncIterator<EventBatch, undefined> {
    let position = after;
    let first: number | undefined;
    return {
      next: async () => {
        if (position !== after) await nextTurn();
        const { batch, next } = this.#readBatch(position, types, first);
        first = next;
        if (batch.reached === position) return { done: true, value: undefined };
        position = batch.reached;
        return { done: false, value: batch };
      },
    };
  }

  #readBatch(
    after: Position,
    types: Types,
    first: number | undefined,
  ): { batch: EventBatch; more: boolean; next: number | undefined } {
    return read(() => {
      const from = rowOf(after);
      // The head is read first: what is written in between is found by the next batch, never passed over.
      const head = this.#head.get() ?? 0;
      const end = Math.max(from, Math.min(head, from + SEARCH_WINDOW));
      if (end === from)
        return { batch: { events: [], reached: after }, more: false, next: undefined };
      const range = this.#range(types?.length);
      let last = from;
      const { events, next } = take((_, limit) => {
        const fetched = range.fetch({ after: last, end }, types ?? [], limit);
        last = fetched.last ?? last;
        return fetched;
      }, first);
      const reached = next === undefined ? end : last;
      const batch = { events, reached: this.#positionUpTo(reached) };
      return { batch, more: reached < head, next };
    });
  }

  /** Of the last event that is not behind a row; START when there is none. */
  #positionUpTo(row: number): Position {
    const found = this.#lastUpTo.get(row);
    return found ? positionOf(found.position, found.id) : START;
  }

  #range(types: number | undefined): LogRange {
    const range = this.#ranges.get(types) ?? new LogRange(this.#db, types);
    this.#ranges.set(types, range);
    return range;
  }

  #lookAround(): void {
    try {
      this.#files.problem();
      this.#see(this.#head.get() ?? 0);
    } catch {
      // Tried again soon; a fault that lasts is met, and told, by whoever appends or reads.
    }
  }

  /** Wakes who follows the log when it has grown. */
  #see(head: number): void {
    if (head === this.#seenHead) return;
    this.#seenHead = head;
    this.#change.notify();
  }
}

function read<Result>(work: () => Result): Result {
  return guarded('event log', work);
}
