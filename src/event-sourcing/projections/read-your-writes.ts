import { Unavailable } from '../../kernel/errors.js';
import { type Position, START } from '../../kernel/position.js';
import type { EventLog } from '../event-log/event-log.js';
import { inTime } from '../waiting/in-time.js';
import { SharedRead } from '../waiting/shared-read.js';
import type { Lag } from './lag.js';
import type { Progress } from './progress.js';

type WaitObserver = (seconds: number, settled: boolean) => void;

/** Returns the position of the last event that the documents of an account may depend on. */
type OwnEnd = (accountId: string) => Promise<Position>;

/** The least time-out of `requireWrites`, which throws. That of `forWrites` may be shorter. */
const LEAST_PATIENCE_MS = 2_000;

const LATE_HEAD = new Error('the event log does not return its end in time');

/** Lets a read wait until the read models have all writes that were answered before it. */
export class ReadYourWrites {
  readonly #head: SharedRead<Position>;
  #observer: WaitObserver | undefined;
  #ownEnd: OwnEnd | undefined;

  constructor(
    private readonly readSide: string,
    log: Pick<EventLog, 'head'>,
    private readonly progress: Progress,
    lag: Lag,
    private readonly timeoutMs: number,
  ) {
    this.#head = new SharedRead(async () => {
      const head = await log.head(progress.position);
      lag.noteEnd(head);
      return head;
    });
  }

  observe(observer: WaitObserver): void {
    this.#observer = observer;
  }

  /** Lets the reads of an account wait for its own events alone, not for those of all accounts. */
  useOwnEnd(ownEnd: OwnEnd): void {
    this.#ownEnd = ownEnd;
  }

  /**
   * Waits until the read models have reached the head that the log had at the call or later. One
   * time-out covers asking for the head and the wait. After it, the caller reads what is folded.
   * @param accountId the account that is read, if it is a single one.
   * @returns whether they reached the head in time.
   */
  forWrites(accountId: string | null = null): Promise<boolean> {
    const ownEnd = accountId === null ? undefined : this.#ownEnd?.(accountId);
    return this.#waitFor(ownEnd ?? this.#head.read(), this.timeoutMs);
  }

  /**
   * Waits like `forWrites`, but 2 s at least, for callers that must not act on an older state.
   * @throws Unavailable when the read models do not reach the head in time.
   */
  async requireWrites(): Promise<void> {
    const patienceMs = Math.max(this.timeoutMs, LEAST_PATIENCE_MS);
    if (await this.#waitFor(this.#head.read(), patienceMs)) return;
    throw new Unavailable(`read models of ${this.readSide}`, 'they are behind the event log');
  }

  /**
   * Waits like `forWrites`, but for a position that a caller has seen somewhere.
   * @returns whether the read models have reached it, are late, or the log ends before it.
   */
  async forPosition(position: Position): Promise<'reached' | 'late' | 'beyond'> {
    if (position <= this.progress.position) return 'reached';
    // Nobody waits for a position that the log does not have.
    const end = this.#head.read().then((head) => (head < position ? START : position));
    if (!(await this.#waitFor(end, this.timeoutMs))) return 'late';
    return position <= this.progress.position ? 'reached' : 'beyond';
  }

  async #waitFor(end: Promise<Position>, timeoutMs: number): Promise<boolean> {
    const began = performance.now();
    const awaited = await inTime(end, timeoutMs, () => LATE_HEAD).catch((error: unknown) => {
      if (error === LATE_HEAD) return undefined;
      throw error;
    });
    const left = timeoutMs - (performance.now() - began);
    const isSettled = awaited !== undefined && (await this.progress.waitFor(awaited, left));
    this.#observer?.((performance.now() - began) / 1_000, isSettled);
    return isSettled;
  }
}
