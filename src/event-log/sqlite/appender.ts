import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Unavailable } from '../../kernel/errors.js';
import { inTime } from '../../kernel/in-time.js';
import {
  type AppendResult,
  ConflictError,
  type ExpectedRevision,
  type StoredEvent,
} from '../event-log.js';
import type { Append, Committed, EventTexts } from './commit.js';
import { CommitThread } from './commit-thread.js';

/** How long an append may take before it is refused, such as while another process holds the write lock. */
const DEADLINE_MS = 5_000;
const LOCK_RETRY_MS = 2;
/** Between threads, as one that cannot open the database is followed by another that cannot. */
const THREAD_RETRY_MS = 100;

const SLOW = new Error('the disk takes too long');

interface PendingAppend extends Append {
  readonly deadline: NodeJS.Timeout;
  isRefused: boolean;
  onRetry(): void;
  resolve(result: AppendResult): void;
  reject(error: unknown): void;
}

/**
 * Group commit: appends that arrive in the same turn of the event loop, or while those before them are committed,
 * share one transaction and one fsync, each with its own outcome. None is answered before the transaction is durable,
 * or later than the deadline.
 */
export class Appender {
  #queue = new Set<PendingAppend>();
  #flushed: Promise<void> | undefined;
  #thread: CommitThread | undefined;
  #obstacle: unknown = SLOW;
  #closed = false;

  /**
   * @param file path of the database, which exists and has its schema.
   * @param onCommit called after each transaction.
   */
  constructor(
    private readonly file: string,
    private readonly onCommit: () => void,
  ) {}

  /** @throws Unavailable at the deadline too; what is being committed then may be written all the same. */
  async append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
    onRetry: () => void = () => undefined,
  ): Promise<AppendResult> {
    if (this.#closed) throw new Unavailable('event log', new Error('it is closed'));
    if (events.length === 0) throw new Error('an append needs at least one event');
    const append = { stream, events: events.map(textsOf), expected };
    return new Promise((resolve, reject) => {
      const deadline = setTimeout(() => {
        this.#refuse(pending);
      }, DEADLINE_MS);
      const pending = { ...append, deadline, isRefused: false, onRetry, resolve, reject };
      this.#queue.add(pending);
      this.#flushed ??= this.#flush();
    });
  }

  /** Resolves when nothing is waiting to be written and the file is let go. @throws Unavailable at the deadline. */
  async close(): Promise<void> {
    this.#closed = true;
    const closed = async (): Promise<void> => {
      await this.#flushed;
      await this.#thread?.close();
    };
    await inTime(closed(), DEADLINE_MS, () => new Unavailable('event log', SLOW));
  }

  async #flush(): Promise<void> {
    await nextTurn();
    while (this.#queue.size > 0) {
      const batch = [...this.#queue];
      this.#queue.clear();
      const committed = await this.#commit(batch);
      if (committed.kind === 'again') {
        this.#obstacle = committed.cause;
        this.#queue = new Set([...batch.filter(({ isRefused }) => !isRefused), ...this.#queue]);
        await delay(committed.pauseMs);
        continue;
      }
      this.#obstacle = SLOW;
      for (const [index, pending] of batch.entries()) {
        clearTimeout(pending.deadline);
        settle(pending, committed, index);
      }
      if (committed.kind === 'done') this.onCommit();
    }
    this.#flushed = undefined;
  }

  async #commit(
    batch: readonly PendingAppend[],
  ): Promise<Exclude<Committed, { kind: 'locked' }> | Again> {
    try {
      this.#thread ??= new CommitThread(this.file);
      const appends = batch.map(({ stream, events, expected }) => ({ stream, events, expected }));
      const committed = await this.#thread.commit(appends);
      if (committed.kind !== 'locked') return committed;
      const cause = new Error('another process holds its write lock');
      return { kind: 'again', cause, pauseMs: LOCK_RETRY_MS };
    } catch (cause) {
      // Whether they were written is not known: another thread finds out, as it is given the same ids and revisions.
      await this.#thread?.close();
      this.#thread = undefined;
      for (const pending of batch) pending.onRetry();
      return { kind: 'again', cause, pauseMs: THREAD_RETRY_MS };
    }
  }

  #refuse(pending: PendingAppend): void {
    pending.isRefused = true;
    this.#queue.delete(pending);
    pending.reject(new Unavailable('event log', this.#obstacle));
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

function settle(
  pending: PendingAppend,
  committed: Exclude<Committed, { kind: 'locked' }>,
  index: number,
): void {
  if (committed.kind === 'failed') {
    const { message, code } = committed;
    pending.reject(new Unavailable('event log', Object.assign(new Error(message), { code })));
    return;
  }
  const outcome = committed.outcomes[index];
  if (outcome === undefined) pending.reject(new Error('an append was not answered'));
  else if (outcome !== 'conflict') pending.resolve(outcome);
  else pending.reject(new ConflictError(pending.stream, pending.expected));
}
