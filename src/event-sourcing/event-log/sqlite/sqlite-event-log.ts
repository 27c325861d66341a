import type Database from 'better-sqlite3';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Bell } from '../../waiting/bell.js';
import { type Position, START } from '../../../kernel/position.js';
import { Unavailable } from '../../../kernel/errors.js';
import { withFileFaults } from '../../sqlite/file-faults.js';
import { isBusy } from '../../sqlite/sqlite-code.js';
import {
  inodeOf,
  openDatabase,
  writeAhead,
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
import type { Sharing, SyncedRow } from '../sharing.js';
import { Appender } from './appender.js';
import { Checkpointer } from './checkpointer.js';
import { LogReader } from './log-reader.js';
import { rowOf } from './rows.js';
import { SCHEMA } from './schema.js';
import { WriteAheadFile } from './write-ahead-file.js';

/** How often the log looks for events that another process wrote, or whether a checkpoint is due. */
const LOOK_EVERY_MS = 100;
/** How long opening waits for another process that is creating the same database. */
const OPEN_TIMEOUT_MS = 5_000;
/** The write-ahead length at which commits checkpoint instead of a thread, which may be busy or restart for seconds. */
const LONGEST_WRITE_AHEAD_PAGES = 5 * WRITE_AHEAD_PAGES;
/** A small cache, because the log is read in order and the operating system caches the file as well. */
const PAGE_CACHE_KIB = 2 * 1024;

/**
 * The event log in one SQLite file. A position contains a row id. SQLite assigns row ids in commit order and without
 * gaps, because it has one writer at a time, and a rollback frees the row ids of its transaction.
 *
 * Nobody sees an event that is not on the disk: a power cut would take it from the log, but not from who has seen it.
 */
export class SqliteEventLog implements EventLog {
  readonly #db: Database.Database;
  readonly #reader: LogReader;
  readonly #appender: Appender;
  readonly #growth = new Bell();
  readonly #watch: NodeJS.Timeout;
  readonly #writeAhead: WriteAheadFile | undefined;
  /** The file that is open. A file that takes its place would have another inode. */
  readonly #inode: string | undefined;
  readonly #synced: SyncedRow;
  /** Rows that are not synced, up to this one, are of this connection, and nobody knows of them. */
  #own = 0;

  /** @param file path of the database; it is created when it does not exist. `:memory:` keeps nothing. */
  constructor(
    file: string,
    private readonly sharing: Sharing = { as: 'alone' },
    private readonly onUnsettled: (fault: unknown) => void = () => undefined,
    readonly part = 'event log',
  ) {
    const isAlone = sharing.as === 'alone';
    this.#db = openDatabase(file, { timeout: OPEN_TIMEOUT_MS });
    writeAhead(this.#db, isAlone ? WRITE_AHEAD_PAGES : LONGEST_WRITE_AHEAD_PAGES);
    this.#db.exec(`PRAGMA synchronous = ${sharing.as === 'appender' ? 'NORMAL' : 'FULL'}`);
    this.#db.exec(`PRAGMA cache_size = -${PAGE_CACHE_KIB}`);
    this.#db.exec(SCHEMA);
    // From here on a lock of another connection must not block the event loop. The appender waits by itself.
    this.#db.exec('PRAGMA busy_timeout = 0');
    this.#reader = new LogReader(this.#db);
    this.#appender = new Appender(
      this.#db,
      (first, last) => this.#committed(first, last),
      (fault) => this.#unsettled(fault),
      part,
    );
    this.#inode = inodeOf(file);
    this.#synced = isAlone ? new BigInt64Array(1) : sharing.synced;
    this.#writeAhead = this.#db.memory ? undefined : new WriteAheadFile(file);
    if (sharing.as === 'checkpointer') {
      void this.#noticeShown();
      const checkpointer = new Checkpointer(this.#db);
      this.#watch = every(LOOK_EVERY_MS, () => checkpointer.lookAround(this.#syncedRow));
    } else {
      this.#show(this.#reader.headRow());
      this.#watch = every(LOOK_EVERY_MS, () => this.#look());
    }
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
    const last = rowOf(page.events.at(-1)?.position ?? START);
    if (last > this.#syncedRow) await this.#sync(last);
    // A caller who reads a long stream must not hold up others.
    if (page.more) await nextTurn();
    return page;
  }

  async *follow(after: Position, signal: AbortSignal): AsyncIterable<EventBatch> {
    if (!this.#holds(after)) throw new UnheldPositionError(after);
    let reached = after;
    while (!signal.aborted) {
      const events = this.#read(() => this.#reader.batch(rowOf(reached), this.#syncedRow));
      const last = events.at(-1);
      if (!last) {
        await this.#growth.rung(signal);
        continue;
      }
      reached = last.position;
      yield { events, reached };
      if (rowOf(reached) < this.#syncedRow) await nextTurn();
    }
  }

  async head(): Promise<Position> {
    await this.#look();
    return this.#read(() => this.#reader.position(this.#syncedRow));
  }

  async identity(): Promise<LogIdentity | null> {
    const first = this.#read(() => this.#reader.identity());
    return first && rowOf(first.position) <= this.#syncedRow ? first : null;
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
    await this.#appender.idle();
    // Nobody begins a sync after this, so none finds the file gone.
    this.#db.close();
    // Ends the wait of `#noticeShown`.
    Atomics.notify(this.#synced, 0);
    await this.#writeAhead?.close();
  }

  #holds(position: Position): boolean {
    return this.#read(() => this.#reader.position(rowOf(position)) === position);
  }

  get #syncedRow(): number {
    return Number(Atomics.load(this.#synced, 0));
  }

  /** Shows what another connection has appended, once it is on the disk. */
  async #look(): Promise<void> {
    // The thread that answers looks for both.
    if (this.sharing.as === 'checkpointer') return;
    const head = this.#read(() => this.#reader.headRow());
    if (head > this.#own) await this.#sync(head);
  }

  /** Answers for a commit of this connection: its rows are on the disk, and everybody sees them. */
  async #committed(first: number, last: number): Promise<void> {
    if (first === this.#own + 1) this.#own = last;
    if (this.sharing.as === 'appender') await this.#sync(last);
    else this.#show(last);
  }

  /** Waits until the rows up to one are on the disk, and shows them. */
  async #sync(row: number): Promise<void> {
    try {
      await this.#writeAhead?.sync();
    } catch (fault) {
      throw this.#unsettled(fault);
    }
    this.#show(row);
  }

  #read<Result>(work: () => Result): Result {
    return withFileFaults(this.part, work);
  }

  #unsettled(cause: unknown): Error {
    this.onUnsettled(cause);
    return new Error('the disk failed, and it is unknown whether events are stored', { cause });
  }

  #show(row: number): void {
    this.#own = Math.max(this.#own, row);
    if (row <= this.#syncedRow) return;
    Atomics.store(this.#synced, 0, BigInt(row));
    Atomics.notify(this.#synced, 0);
    this.#growth.ring();
  }

  /** Notices what the other thread shows, until this log is closed. */
  async #noticeShown(): Promise<void> {
    let noticed = this.#syncedRow;
    while (this.#db.open) {
      const shown = Atomics.waitAsync(this.#synced, 0, BigInt(noticed));
      if (shown.async) await shown.value;
      noticed = this.#syncedRow;
      this.#growth.ring();
    }
  }
}

/** Looks now and then. The next look tries again: if a fault lasts, an append or a read fails and reports it. */
function every(ms: number, look: () => Promise<void> | void): NodeJS.Timeout {
  return setInterval(() => void (async () => look())().catch(() => undefined), ms).unref();
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
