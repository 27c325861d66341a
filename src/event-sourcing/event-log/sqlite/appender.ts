import type Database from 'better-sqlite3';
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Unavailable } from '../../../kernel/errors.js';
import {
  type AppendResult,
  ConflictError,
  type ExpectedRevision,
  type StoredEvent,
  withFollowers,
} from '../event-log.js';
import { type Position, START } from '../../../kernel/position.js';
import { asFileFault } from '../../sqlite/file-faults.js';
import { SQL_LIMIT } from '../../sqlite/sql-limit.js';
import { isBusy, isConstraint, sqliteCode } from '../../sqlite/sqlite-code.js';
import { positionOf } from './stored-form.js';
import { FairQueue } from '../../waiting/fair-queue.js';

/** How long appends wait for another connection's write lock before they are refused. */
const LOCK_DEADLINE_MS = 5_000;
const LOCK_RETRY_MS = 2;
/** Bounds of a transaction: events, characters of JSON. Other work runs between transactions. */
const BATCH_EVENTS = 256;
const BATCH_SIZE = 1_000_000;

interface EventRow {
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly data: string;
  readonly metadata: string;
}

interface PendingAppend {
  readonly stream: string;
  readonly events: readonly EventRow[];
  readonly size: number;
  readonly expected: ExpectedRevision;
  readonly deadline: number;
  resolve(result: AppendResult): void;
  reject(error: unknown): void;
}

type Outcome = AppendResult | { readonly fault: unknown };

/**
 * Appends events with group commit: appends of successive turns of the event loop share a
 * transaction and a sync. Each has its own outcome, answered after its transaction is durable. A
 * transaction has a bounded size, accounts take turns in it, and the event loop has a turn after
 * it.
 */
export class Appender {
  readonly #insert;
  readonly #lastOfStream;
  readonly #idsOfStream;
  readonly #queue = new FairQueue<PendingAppend>();
  #flushing: Promise<void> | undefined;
  /** How long the last commit took, its sync included. */
  #commitMs = 0;
  /** The last row that was inserted, and how many rows the last transaction inserted. */
  #lastRow = 0;
  #inserted = 0;

  /**
   * @param secure called with a transaction's rows. When it resolves its appends are answered.
   * @param reportUnsettled called when the disk fails within a commit, which may be there after a
   * crash. Gives the error of its appends.
   */
  constructor(
    private readonly db: Database.Database,
    private readonly secure: (first: number, last: number) => Promise<void>,
    private readonly reportUnsettled: (fault: unknown) => Error,
    private readonly part = 'event log',
  ) {
    this.#insert = db.prepare<[string, number, string, string, number, string, string]>(
      'INSERT INTO events (stream, revision, id, type, version, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#lastOfStream = db
      .prepare<[string], number>(
        'SELECT revision FROM events WHERE stream = ? ORDER BY revision DESC LIMIT 1',
      )
      .pluck();
    this.#idsOfStream = db.prepare<[string, number, number], { id: string; position: number }>(
      `SELECT id, position FROM events WHERE stream = ? AND revision > ? ORDER BY revision ${SQL_LIMIT}`,
    );
  }

  append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      const [first] = events;
      if (!first) throw new Error('an append needs at least one event');
      const rows = withFollowers(events).map(eventRow);
      this.#queue.push(first.metadata.account_id, {
        stream,
        events: rows,
        size: rows.reduce((size, { data, metadata }) => size + data.length + metadata.length, 0),
        expected,
        deadline: performance.now() + LOCK_DEADLINE_MS,
        resolve,
        reject,
      });
      this.#flushing ??= this.#flush();
    });
  }

  async drain(): Promise<void> {
    while (this.#flushing) await this.#flushing;
  }

  async #flush(): Promise<void> {
    await this.#gather();
    while (this.#queue.length > 0) {
      await this.#write(this.#nextBatch());
      if (this.#queue.length > 0) await nextTurn();
    }
    this.#flushing = undefined;
  }

  /**
   * Waits for more appends until a turn of the event loop brings none, or for as long as the last
   * commit took, because a longer wait is worthwhile on a slower disk.
   */
  async #gather(): Promise<void> {
    const began = performance.now();
    let before;
    do {
      before = this.#queue.length;
      await nextTurn();
    } while (this.#queue.length > before && performance.now() - began < this.#commitMs);
  }

  /** Takes the appends of the next transaction, account by account; at least one if any waits. */
  #nextBatch(): PendingAppend[] {
    const batch: PendingAppend[] = [];
    let events = 0;
    let size = 0;
    while (events < BATCH_EVENTS && size < BATCH_SIZE) {
      const pending = this.#queue.take();
      if (!pending) break;
      batch.push(pending);
      events += pending.events.length;
      size += pending.size;
    }
    return batch;
  }

  /** Writes a batch in one transaction, and answers its appends once the transaction is durable. */
  async #write(batch: readonly PendingAppend[]): Promise<void> {
    const began = performance.now();
    let outcomes = this.#commit(batch);
    while (outcomes === 'locked') {
      if (batch.every(({ deadline }) => deadline < performance.now())) {
        const fault = new Unavailable(this.part, 'another connection holds its write lock');
        outcomes = batch.map(() => ({ fault }));
      } else {
        await delay(LOCK_RETRY_MS);
        outcomes = this.#commit(batch);
      }
    }
    try {
      if (this.#inserted > 0) await this.secure(this.#lastRow - this.#inserted + 1, this.#lastRow);
    } catch (fault) {
      outcomes = batch.map(() => ({ fault }));
    }
    this.#commitMs = performance.now() - began;
    for (const [index, append] of batch.entries()) {
      const outcome = outcomes[index];
      if (outcome && 'position' in outcome) append.resolve(outcome);
      else append.reject(outcome?.fault);
    }
  }

  #commit(batch: readonly PendingAppend[]): Outcome[] | 'locked' {
    let isCommitting = false;
    this.#inserted = 0;
    try {
      this.db.exec('BEGIN IMMEDIATE');
      const outcomes = batch.map((pending) => this.#writeOne(pending));
      isCommitting = true;
      this.db.exec('COMMIT');
      return outcomes;
    } catch (error) {
      if (this.db.open && this.db.inTransaction) this.db.exec('ROLLBACK');
      this.#inserted = 0;
      if (isBusy(error)) return 'locked';
      const isUnsettled = isCommitting && mayComeBack(error);
      const fault = isUnsettled ? this.reportUnsettled(error) : asFileFault(this.part, error);
      return batch.map(() => ({ fault }));
    }
  }

  #writeOne({ stream, events, expected }: PendingAppend): Outcome {
    if (expected === 'no-stream') {
      // Inserts without a look-up: nearly always there is no such stream, and the trigger checks.
      try {
        return this.#insertBehind(-1, stream, events);
      } catch (error) {
        if (!isConstraint(error)) throw error;
      }
    }
    const last = this.#lastOfStream.get(stream) ?? -1;
    const wanted = expected === 'no-stream' ? -1 : expected;
    if (wanted === last) return this.#insertBehind(last, stream, events);
    const written = this.#alreadyWritten(stream, events, wanted);
    return written ?? { fault: new ConflictError(stream, expected) };
  }

  #insertBehind(last: number, stream: string, events: readonly EventRow[]): AppendResult {
    let revision = last;
    let position: Position = START;
    for (const { id, type, version, data, metadata } of events) {
      revision += 1;
      const inserted = this.#insert.run(stream, revision, id, type, version, data, metadata);
      this.#lastRow = Number(inserted.lastInsertRowid);
      position = positionOf(this.#lastRow, id);
    }
    this.#inserted += events.length;
    return { revision, position };
  }

  /** Returns the result of an earlier append of the same events; undefined when there was none. */
  #alreadyWritten(
    stream: string,
    events: readonly EventRow[],
    after: number,
  ): AppendResult | undefined {
    const found = this.#idsOfStream.all(stream, after, events.length);
    const last = found.at(-1);
    if (!last || !events.every(({ id }, index) => found[index]?.id === id)) return undefined;
    return { revision: after + events.length, position: positionOf(last.position, last.id) };
  }
}

/**
 * Whether a failed commit may be there after a crash: its pages may all be in the write-ahead log.
 * A lock, a full disk or a failed write rules that out: the page that ends a commit is last.
 */
function mayComeBack(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && code.startsWith('SQLITE_IOERR') && code !== 'SQLITE_IOERR_WRITE';
}

function eventRow({ id, type, version, data, metadata }: StoredEvent): EventRow {
  return {
    id,
    type,
    version,
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  };
}
