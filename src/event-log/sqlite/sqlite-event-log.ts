import Database from 'better-sqlite3';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Unavailable } from '../../kernel/errors.js';
import type { Position } from '../../kernel/position.js';
import type {
  AppendResult,
  EventBatch,
  EventLog,
  ExpectedRevision,
  ReadAllOptions,
  RecordedEvent,
  StoredEvent,
} from '../event-log.js';
import { Appender } from './appender.js';
import { Change } from './change.js';
import { positionOf, recorded, type Row, rowOf } from './rows.js';
import { SCHEMA } from './schema.js';

const BATCH = 2_000;
/** Rows searched at a time for wanted types, so that a search through many others does not hold the event loop. */
const SEARCH_WINDOW = 20_000;
/** How often the log looks for events that another process (the command line) wrote. */
const FOREIGN_WRITES_EVERY_MS = 100;
/** How long opening waits for another process that is just making the same database. */
const OPEN_TIMEOUT_MS = 5_000;

/**
 * The event log in one SQLite file. Positions are row ids, which SQLite hands out in commit order because it
 * has one writer at a time.
 */
export class SqliteEventLog implements EventLog {
  readonly #db: Database.Database;
  readonly #appender: Appender;
  readonly #change = new Change();
  readonly #watch: NodeJS.Timeout;
  readonly #stream;
  readonly #head;
  readonly #ranges = new Map<number | undefined, Database.Statement<unknown[], Row>>();
  #seenHead = 0;

  /** @param file path of the database; it is created when it does not exist. `:memory:` keeps nothing. */
  constructor(file: string) {
    this.#db = new Database(file, { timeout: OPEN_TIMEOUT_MS });
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma('synchronous = FULL');
    this.#db.exec(SCHEMA);
    // From here on a lock held by another process must not block the event loop: the appender waits by itself.
    this.#db.pragma('busy_timeout = 0');
    this.#appender = new Appender(this.#db, () => {
      this.#change.notify();
    });
    this.#stream = this.#db.prepare<[string, number], Row>(
      'SELECT * FROM events WHERE stream = ? AND revision >= ? ORDER BY revision',
    );
    this.#head = this.#db
      .prepare<[], number>('SELECT coalesce(max(position), 0) FROM events')
      .pluck();
    this.#seenHead = this.#head.get() ?? 0;
    this.#watch = setInterval(() => {
      this.#lookForForeignWrites();
    }, FOREIGN_WRITES_EVERY_MS).unref();
  }

  append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return this.#appender.append(stream, events, expected);
  }

  async readStream(stream: string, from = 0): Promise<RecordedEvent[]> {
    return guarded(() => this.#stream.all(stream, from)).map(recorded);
  }

  async *readAll(after: Position, options: ReadAllOptions = {}): AsyncIterable<EventBatch> {
    let position = after;
    for (;;) {
      const { batch } = this.#readBatch(position, options.types);
      if (batch.reached === position) return;
      yield batch;
      position = batch.reached;
      await nextTurn();
    }
  }

  async *follow(
    after: Position,
    signal: AbortSignal,
    options: ReadAllOptions = {},
  ): AsyncIterable<EventBatch> {
    let position = after;
    while (!signal.aborted) {
      const { batch, more } = this.#readBatch(position, options.types);
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
    return guarded(() => positionOf(this.#head.get() ?? 0));
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.#appender.idle();
    this.#db.close();
  }

  #readBatch(
    after: Position,
    types: readonly string[] | undefined,
  ): { batch: EventBatch; more: boolean } {
    return guarded(() => {
      const from = rowOf(after);
      // The head is read first: what is written in between is found by the next batch, never passed over.
      const head = this.#head.get() ?? 0;
      const end = Math.max(from, Math.min(head, from + SEARCH_WINDOW));
      const rows = this.#range(types?.length).all(from, end, ...(types ?? []));
      const last = rows.at(-1);
      const reached = rows.length === BATCH && last ? last.position : end;
      const batch = { events: rows.map(recorded), reached: positionOf(reached) };
      return { batch, more: reached < head };
    });
  }

  /** The prepared range read for a number of wanted types; undefined wants all. */
  #range(types: number | undefined): Database.Statement<unknown[], Row> {
    let statement = this.#ranges.get(types);
    if (!statement) {
      const filter =
        types === undefined ? '' : `AND type IN (${Array(types).fill('?').join(', ')})`;
      statement = this.#db.prepare<unknown[], Row>(
        `SELECT * FROM events WHERE position > ? AND position <= ? ${filter} ORDER BY position LIMIT ${BATCH}`,
      );
      this.#ranges.set(types, statement);
    }
    return statement;
  }

  #lookForForeignWrites(): void {
    try {
      const head = this.#head.get() ?? 0;
      if (head === this.#seenHead) return;
      this.#seenHead = head;
      this.#change.notify();
    } catch {
      // The next request meets the same fault and reports it.
    }
  }
}

function guarded<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new Unavailable('event log', error);
  }
}
