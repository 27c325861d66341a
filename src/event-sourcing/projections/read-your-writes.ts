import type { EventLog } from '../event-log/event-log.js';
import { Unavailable } from '../../kernel/errors.js';
import { inTime } from '../../kernel/in-time.js';
import type { Position } from '../../kernel/position.js';
import type { Projections } from './projections.js';
import { SharedRead } from '../../kernel/shared-read.js';

/** The position of a projection after a wait, and whether the wait timed out. */
export interface Settled {
  readonly position: Position;
  readonly isLate: boolean;
}

/** A callback that receives, after each wait for earlier writes, how long the wait took and whether it succeeded. */
export type WaitObserver = (projection: string, seconds: number, settled: boolean) => void;

/** The least time-out of `reached`, which throws after the time-out. The time-out of `settled` may be shorter. */
const LEAST_PATIENCE_MS = 2_000;

class LateHeadError extends Error {}

/** Lets a read see every write that was answered before the read began, whichever process answered the write. */
export class ReadYourWrites {
  readonly #head: SharedRead<Position>;
  #observer: WaitObserver | undefined;

  constructor(
    log: EventLog,
    private readonly projections: Projections,
    private readonly timeoutMs: number,
  ) {
    this.#head = new SharedRead(() => log.head());
  }

  /** Sets the one observer that is called after every wait. */
  observe(observer: WaitObserver): void {
    this.#observer = observer;
  }

  /**
   * Waits until a projection has reached the head that the log had at the call or later. One time-out covers asking for
   * the head and the wait. After the time-out, the caller reads what is projected already.
   * @returns the position of the projection, which a read after this call reflects at least, and whether the wait timed out.
   */
  async settled(projection: string): Promise<Settled> {
    const isLate = !(await this.#waitFor(projection, this.timeoutMs));
    return { position: this.projections.get(projection).progress.position, isLate };
  }

  /**
   * Waits until a projection has reached the head of the log, for callers that must not act on an older state. The
   * time-out is 2 s at least.
   * @throws Unavailable when the projection does not reach the head in time.
   */
  async reached(projection: string): Promise<void> {
    const patienceMs = Math.max(this.timeoutMs, LEAST_PATIENCE_MS);
    if (await this.#waitFor(projection, patienceMs)) return;
    throw new Unavailable(`read model ${projection}`, 'it is behind the event log');
  }

  async #waitFor(projection: string, timeoutMs: number): Promise<boolean> {
    const { progress } = this.projections.get(projection);
    const began = performance.now();
    const head = await this.#headWithin(timeoutMs);
    const left = timeoutMs - (performance.now() - began);
    const isSettled = head !== undefined && (await progress.waitFor(head, left));
    const seconds = (performance.now() - began) / 1_000;
    this.#observer?.(projection, seconds, isSettled);
    return isSettled;
  }

  async #headWithin(timeoutMs: number): Promise<Position | undefined> {
    try {
      return await inTime(this.#head.read(), timeoutMs, () => new LateHeadError());
    } catch (error) {
      if (error instanceof LateHeadError) return undefined;
      throw error;
    }
  }
}
