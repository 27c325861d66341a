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
import { isOfTheFiles } from '../../sqlite/guarded.js';
import { UP_TO } from '../../sqlite/limit.js';
import { isBusy, isConstraint } from '../../sqlite/sqlite-code.js';
import { positionOf } from './rows.js';
import { mayComeBack, Settlement } from './settlement.js';
import { FairQueue } from '../../../kernel/fair-queue.js';

/** How long appends wait for another connection that holds the write lock before they are refused. */
const LOCK_DEADLINE_MS = 5_000;
const LOCK_RETRY_MS = 2;
/** The bounds of a transaction: the events, and the characters of their JSON. Other work runs between transactions. */
const BATCH_EVENTS = 256;
const BATCH_SIZE = 1_000_000;

const DISK_FAILS = 'the disk failed, and it is unknown whether the events are stored';

/** An event as it is stored in a row. */
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
  /** The number of characters in the JSON of the events. */
  readonly size: number;
  readonly expected: ExpectedRevision;
  readonly deadline: number;
  resolve(result: AppendResult): void;
  reject(error: unknown): void;
}

type Outcome = AppendResult | { readonly fault: unknown };

export interface AppenderObserver {
  /** Called after each transaction. */
  committed(): void;
  /** Called when a failed commit may come back after a crash. The appends of the commit are answered afterwards. */
  unsettled(fault: unknown): void;
}

/**
 * Appends events with group commit: appends that arrive in successive turns of the event loop share one transaction and
 * one fsync. Each append has its own outcome, and is answered after its transaction is durable. The size of a
 * transaction is bounded, and accounts take turns in it. The event loop has a turn between two transactions.
 */
export class Appender {
  readonly #insert;
  readonly #lastOfStream;
  readonly #idsOfStream;
  readonly #settlement;
  readonly #queue = new FairQueue<PendingAppend>();
  #flushing: Promise<void> | undefined;
  /** How long the last commit took. */
  #commitMs = 0;

  constructor(
    private readonly db: Database.Database,
    private readonly observer: AppenderObserver,
  ) {
    this.#settlement = new Settlement(db);
    this.#insert = db.prepare<[string, number, string, string, number, string, string]>(
      'INSERT INTO events (stream, revision, id, type, version, data, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)',
    );
    this.#lastOfStream = db
      .prepare<[{ stream: string }], number>(
        `SELECT revision FROM events WHERE stream = :stream ORDER BY revision DESC LIMIT 1`,
      )
      .pluck();
    this.#idsOfStream = db.prepare<
      [number, number, { stream: string }],
      { id: string; position: number }
    >(
      `SELECT id, position FROM events WHERE stream = :stream AND revision > ? ORDER BY revision ${UP_TO}`,
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
      const rows = withFollowers(events).map(rowOf);
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

  /** Resolves when no append waits to be written. */
  async idle(): Promise<void> {
    while (this.#flushing) await this.#flushing;
  }

  async #flush(): Promise<void> {
    try {
      await this.#gather();
      let batch = this.#nextBatch();
      while (batch.length > 0) {
        const began = performance.now();
        const outcomes = await this.#commitOrSettle(batch);
        this.#commitMs = performance.now() - began;
        if (outcomes === 'locked') {
          const patient = refuseLate(batch);
          await delay(LOCK_RETRY_MS);
          batch = patient.length > 0 ? patient : this.#nextBatch();
          continue;
        }
        batch.forEach((pending, index) => {
          settle(pending, outcomes[index]);
        });
        this.observer.committed();
        if (this.#queue.length > 0) await nextTurn();
        batch = this.#nextBatch();
      }
    } finally {
      this.#flushing = undefined;
    }
  }

  /**
   * Waits for more appends until a turn of the event loop brings none, or for as long as the last commit took, because
   * a longer wait is worthwhile on a slower disk.
   */
  async #gather(): Promise<void> {
    const began = performance.now();
    let before;
    do {
      before = this.#queue.length;
      await nextTurn();
    } while (this.#queue.length > before && performance.now() - began < this.#commitMs);
  }

  /** Takes the appends of the next transaction from the queue, account by account; at least one append if any waits. */
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

  /** Commits a batch. If the commit fails, makes sure that no append is stored, or reports the outcomes as unknown. */
  async #commitOrSettle(batch: readonly PendingAppend[]): Promise<Outcome[] | 'locked'> {
    const outcomes = this.#commit(batch);
    if (outcomes === 'locked' || Array.isArray(outcomes)) return outcomes;
    try {
      await this.#settlement.settle();
      return refused(batch, outcomes.unsettled);
    } catch (fault) {
      this.observer.unsettled(fault);
      return batch.map(() => ({ fault: new Error(DISK_FAILS, { cause: fault }) }));
    }
  }

  /** Writes a batch in one durable transaction. Returns the outcomes in the order of the batch. */
  #commit(batch: readonly PendingAppend[]): Outcome[] | 'locked' | { unsettled: unknown } {
    let committing = false;
    try {
      this.db.exec('BEGIN IMMEDIATE');
      const outcomes = batch.map((pending) => this.#write(pending));
      committing = true;
      this.db.exec('COMMIT');
      return outcomes;
    } catch (error) {
      if (this.db.open && this.db.inTransaction) this.db.exec('ROLLBACK');
      if (committing && mayComeBack(error)) return { unsettled: error };
      return isBusy(error) ? 'locked' : refused(batch, error);
    }
  }

  #write({ stream, events, expected }: PendingAppend): Outcome {
    if (expected === 'no-stream') {
      // Inserts without a look-up, because nearly always the stream does not exist, and the trigger checks that anyway.
      try {
        return this.#insertBehind(-1, stream, events);
      } catch (error) {
        if (!isConstraint(error)) throw error;
      }
    }
    const last = this.#lastOfStream.get({ stream }) ?? -1;
    const wanted = expected === 'no-stream' ? -1 : expected;
    if (wanted !== last) {
      const earlier = this.#alreadyWritten(stream, events, wanted);
      return earlier ?? { fault: new ConflictError(stream, expected, last) };
    }
    return this.#insertBehind(last, stream, events);
  }

  #insertBehind(last: number, stream: string, events: readonly EventRow[]): AppendResult {
    let revision = last;
    let position: Position = START;
    for (const { id, type, version, data, metadata } of events) {
      revision += 1;
      const inserted = this.#insert.run(stream, revision, id, type, version, data, metadata);
      position = positionOf(Number(inserted.lastInsertRowid), id);
    }
    return { revision, position };
  }

  #alreadyWritten(
    stream: string,
    events: readonly EventRow[],
    after: number,
  ): AppendResult | undefined {
    const found = this.#idsOfStream.all(after, events.length, { stream });
    const last = found.at(-1);
    if (!last || found.length < events.length) return undefined;
    if (!events.every((event, index) => found[index]?.id === event.id)) return undefined;
    return { revision: after + events.length, position: positionOf(last.position, last.id) };
  }
}

function refused(batch: readonly PendingAppend[], error: unknown): Outcome[] {
  const fault = isOfTheFiles(error) ? new Unavailable('event log', error) : error;
  return batch.map(() => ({ fault }));
}

function rowOf({ id, type, version, data, metadata }: StoredEvent): EventRow {
  return {
    id,
    type,
    version,
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  };
}

/** Rejects the appends that waited too long. @returns the other appends. */
function refuseLate(batch: readonly PendingAppend[]): PendingAppend[] {
  const now = performance.now();
  const error = new Unavailable('event log', new Error('another connection holds its write lock'));
  return batch.filter((pending) => {
    if (pending.deadline > now) return true;
    pending.reject(error);
    return false;
  });
}

function settle(pending: PendingAppend, outcome: Outcome | undefined): void {
  if (outcome && 'position' in outcome) pending.resolve(outcome);
  else pending.reject(outcome?.fault);
}
