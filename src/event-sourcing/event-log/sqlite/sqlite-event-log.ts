import type Database from 'better-sqlite3';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Position, START } from '../../../kernel/position.js';
import { Unavailable } from '../../../kernel/errors.js';
import { withFileFaults } from '../../sqlite/file-faults.js';
import { isBusy } from '../../sqlite/sqlite-code.js';
import {
  inodeOf,
  openDatabase,
  enableWriteAhead,
  WRITE_AHEAD_PAGES,
} from '../../sqlite/open-database.js';
import {
  type AppendResult,
  type EventBatch,
  type EventLog,
  type ExpectedRevision,
  type LogIdentity,
  type StoredEvent,
  type StreamPage,
  UnheldPositionError,
} from '../event-log.js';
import type { ConnectionRole } from '../connection-roles.js';
import { Appender } from './appender.js';
import { Checkpointer } from './checkpointer.js';
import { LogReader } from './log-reader.js';
import { rowIdIn } from './stored-form.js';
import { SCHEMA } from './schema.js';
import { SyncedRows } from './synced-rows.js';

/** How often to look for events that another process wrote, or whether a checkpoint is due. */
const LOOK_AT_FILE_EVERY_MS = 100;
/** How long opening waits for another process that is creating the same database. */
const OPEN_TIMEOUT_MS = 5_000;
/** The write-ahead length at which commits checkpoint for a thread, busy or gone for seconds. */
const LONGEST_WRITE_AHEAD_PAGES = 5 * WRITE_AHEAD_PAGES;
/** A small cache: the log is read in order, and the operating system caches the file as well. */
const PAGE_CACHE_KIB = 2 * 1024;

/**
 * The event log in one SQLite file. A position contains a row id. SQLite assigns row ids in commit
 * order without gaps: it has one writer at a time, and a rollback frees its row ids.
 */
export class SqliteEventLog implements EventLog {
  readonly #db: Database.Database;
  readonly #reader: LogReader;
  readonly #appender: Appender;
  readonly #rows: SyncedRows;
  readonly #watch: NodeJS.Timeout;
  /** The file that is open. A file that takes its place would have another inode. */
  readonly #inode: string | undefined;

  /** @param file path of the database, created if missing. `:memory:` keeps nothing. */
  constructor(
    file: string,
    private readonly role: ConnectionRole = { as: 'alone' },
    onUnsettled: (fault: unknown) => void = () => undefined,
    readonly part = 'event log',
  ) {
    const isAlone = role.as === 'alone';
    this.#db = openDatabase(file, { timeout: OPEN_TIMEOUT_MS });
    enableWriteAhead(this.#db, isAlone ? WRITE_AHEAD_PAGES : LONGEST_WRITE_AHEAD_PAGES);
    this.#db.exec(`PRAGMA synchronous = ${role.as === 'appender' ? 'NORMAL' : 'FULL'}`);
    this.#db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    this.#db.exec(SCHEMA);
    // From here on another connection's lock must not block the event loop. The appender waits.
    this.#db.exec('PRAGMA busy_timeout = 0');
    this.#reader = new LogReader(this.#db);
    this.#inode = inodeOf(file);
    this.#rows = new SyncedRows(this.#db, this.#reader.headRow(), role, onUnsettled);
    this.#appender = new Appender(
      this.#db,
      (first, last) => this.#rows.secure(first, last),
      (fault) => this.#rows.reportUnsettled(fault),
      part,
    );
    const checkpointer = role.as === 'checkpointer' && new Checkpointer(this.#db);
    this.#watch = every(LOOK_AT_FILE_EVERY_MS, () =>
      checkpointer ? checkpointer.lookAround(this.#rows.last) : this.#look(),
    );
  }

  append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return this.#appender.append(stream, events, expected);
  }

  async readStream(stream: string, from = 0): Promise<StreamPage> {
    const page = this.#read(() => this.#reader.page(stream, from));
    const last = rowIdIn(page.events.at(-1)?.position ?? START);
    await this.#rows.sync(last);
    // A caller who reads a long stream must not hold up others.
    if (page.more) await nextTurn();
    return page;
  }

  async *follow(after: Position, signal: AbortSignal): AsyncIterable<EventBatch> {
    if (!this.#holds(after)) throw new UnheldPositionError(after);
    let reached = after;
    while (!signal.aborted) {
      const events = this.#read(() => this.#reader.batch(rowIdIn(reached), this.#rows.last));
      const last = events.at(-1);
      if (!last) {
        await this.#rows.waitForGrowth(signal);
        continue;
      }
      reached = last.position;
      yield { events, reached };
      if (rowIdIn(reached) < this.#rows.last) await nextTurn();
    }
  }

  async head(): Promise<Position> {
    await this.#look();
    return this.#read(() => this.#reader.position(this.#rows.last));
  }

  async identity(): Promise<LogIdentity | null> {
    const first = this.#read(() => this.#reader.identity());
    return first && rowIdIn(first.position) <= this.#rows.last ? first : null;
  }

  async ping(): Promise<void> {
    this.#read(() => {
      if (!this.#db.memory && inodeOf(this.#db.name) !== this.#inode) {
        throw new Unavailable(this.part, `${this.#db.name} was removed or replaced in use`);
      }
      requireWritable(this.#db);
    });
    await this.head();
  }

  async close(): Promise<void> {
    clearInterval(this.#watch);
    await this.#appender.drain();
    // Nobody begins a sync after this, so none finds the file gone.
    this.#db.close();
    await this.#rows.close();
  }

  #holds(position: Position): boolean {
    return this.#read(() => this.#reader.position(rowIdIn(position)) === position);
  }

  /** Shows what another connection has appended. The thread that answers does so for the other. */
  async #look(): Promise<void> {
    if (this.role.as === 'checkpointer') return;
    await this.#rows.showOthers(this.#read(() => this.#reader.headRow()));
  }

  #read<Result>(work: () => Result): Result {
    return withFileFaults(this.part, work);
  }
}

/** Looks now and then. If a fault outlasts the next looks, an append or a read reports it. */
function every(ms: number, look: () => Promise<void> | void): NodeJS.Timeout {
  return setInterval(() => void (async () => look())().catch(() => undefined), ms).unref();
}

/** @throws when the database cannot be written. `BEGIN IMMEDIATE` succeeds in a read-only one. */
function requireWritable(db: Database.Database): void {
  try {
    db.exec('DELETE FROM events WHERE FALSE');
  } catch (error) {
    // Another connection writes.
    if (!isBusy(error)) throw error;
  }
}
