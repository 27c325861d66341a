import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Unavailable } from '../../kernel/errors.js';
import {
  type AppendResult,
  ConflictError,
  type ExpectedRevision,
  type StoredEvent,
} from '../event-log.js';
import type { Append, Committed, EventTexts } from './commit.js';
import { CommitThread } from './commit-thread.js';

/** How long appends are tried, such as while another process holds the write lock, before they are refused. */
const DEADLINE_MS = 5_000;
const LOCK_RETRY_MS = 2;
/** Between threads, as one that cannot open the database is followed by another that cannot. */
const THREAD_RETRY_MS = 100;

interface PendingAppend extends Append {
  readonly deadline: number;
  readonly onRetry: (() => void) | undefined;
  resolve(result: AppendResult): void;
  reject(error: unknown): void;
}

/**
 * Group commit: appends that arrive in the same turn of the event loop, or while those before them are committed,
 * share one transaction and one fsync, each with its own outcome. None is answered before the transaction is durable.
 */
export class Appender {
  #queue: PendingAppend[] = [];
  #flushed: Promise<void> | undefined;
  #thread: CommitThread | undefined;
  #closed = false;

  /**
   * @param file path of the database, which exists and has its schema.
   * @param onCommit called after each transaction.
   */
  constructor(
    private readonly file: string,
    private readonly onCommit: () => void,
  ) {}

  async append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
    onRetry?: () => void,
  ): Promise<AppendResult> {
    if (this.#closed) throw new Unavailable('event log', new Error('it is closed'));
    if (events.length === 0) throw new Error('an append needs at least one event');
    const texts = events.map(textsOf);
    return new Promise((resolve, reject) => {
      const deadline = Date.now() + DEADLINE_MS;
      this.#queue.push({ stream, events: texts, expected, deadline, onRetry, resolve, reject });
      this.#flushed ??= this.#flush();
    });
  }

  /** Resolves when nothing is waiting to be written and the file is let go. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#flushed;
    await this.#thread?.close();
  }

  async #flush(): Promise<void> {
    await nextTurn();
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      const committed = await this.#commit(batch);
      if (committed.kind === 'done') {
        batch.forEach((pending, index) => {
          settle(pending, committed.outcomes[index]);
        });
        this.onCommit();
      } else if (committed.kind === 'failed') {
        const { message, code } = committed;
        const error = new Unavailable('event log', Object.assign(new Error(message), { code }));
        for (const pending of batch) pending.reject(error);
      } else {
        this.#queue = [...refuseLate(batch, committed.cause), ...this.#queue];
        await delay(committed.pauseMs);
      }
    }
    this.#flushed = undefined;
  }

  async #commit(
    batch: readonly PendingAppend[],
  ): Promise<Exclude<Committed, { kind: 'locked' }> | Again> {
    const thread = (this.#thread ??= new CommitThread(this.file));
    try {
      const appends = batch.map(({ stream, events, expected }) => ({ stream, events, expected }));
      const committed = await thread.commit(appends);
      if (committed.kind !== 'locked') return committed;
      const cause = new Error('another process holds its write lock');
      return { kind: 'again', cause, pauseMs: LOCK_RETRY_MS };
    } catch (cause) {
      // Whether they were written is not known: another thread finds out, as it is given the same ids and revisions.
      this.#thread = undefined;
      await thread.close();
      for (const { onRetry } of batch) onRetry?.();
      return { kind: 'again', cause, pauseMs: THREAD_RETRY_MS };
    }
  }
}

/** Nothing is known to be written. */
interface Again {
  readonly kind: 'again';
  readonly cause: unknown;
  readonly pauseMs: number;
}

function textsOf({ id, type, version, data, metadata }: StoredEvent): EventTexts {
  return [id, type, version, JSON.stringify(data), JSON.stringify(metadata)];
}

/** Rejects what has waited too long and gives the rest. */
function refuseLate(batch: readonly PendingAppend[], cause: unknown): PendingAppend[] {
  const now = Date.now();
  const error = new Unavailable('event log', cause);
  return batch.filter((pending) => {
    if (pending.deadline > now) return true;
    pending.reject(error);
    return false;
  });
}

function settle(pending: PendingAppend, outcome: AppendResult | 'conflict' | undefined): void {
  if (outcome === undefined) pending.reject(new Error('an append was not answered'));
  else if (outcome === 'conflict')
    pending.reject(new ConflictError(pending.stream, pending.expected));
  else pending.resolve(outcome);
}
