import type { EventLog } from '../event-log/event-log.js';
import { Unavailable } from '../kernel/errors.js';
import { inTime } from '../kernel/in-time.js';
import type { Position } from '../kernel/position.js';
import type { Projections } from './projections.js';
import { SharedRead } from './shared-read.js';

/** Learns where a read model stands that a read is made of, and whether it has all writes before the read. */
export type ReadObserver = (projection: string, position: Position, isSettled: boolean) => void;

/** Learns how long reads waited for the writes before them, and whether in vain. */
export type WaitObserver = (projection: string, seconds: number, settled: boolean) => void;

/** How long those wait at least who get no answer otherwise, however soon a read is served as things stand. */
const LEAST_PATIENCE_MS = 2_000;

class LateHeadError extends Error {}

/** Makes a read see every write that was answered before it began, whichever process answered it. */
export class ReadYourWrites {
  readonly #head: SharedRead<Position>;
  #observer: WaitObserver | undefined;
  #onRead: ReadObserver | undefined;

  constructor(
    log: EventLog,
    private readonly projections: Projections,
    private readonly timeoutMs: number,
  ) {
    this.#head = new SharedRead(() => log.head());
  }

  /** Tells one observer of every wait from here on. */
  observe(observer: WaitObserver): void {
    this.#observer = observer;
  }

  /** Tells one observer of each read whose wait has ended. */
  onRead(observer: ReadObserver): void {
    this.#onRead = observer;
  }

  /**
   * Waits until a projection has passed the head of the log as it was at the call or later. One deadline holds for the look
   * at the head and for the wait; after it the caller reads what there is.
   * @returns the position that a read made now reflects at least.
   */
  async settled(projection: string): Promise<Position> {
    const isSettled = await this.#waitFor(projection, this.timeoutMs);
    const { position } = this.projections.get(projection).progress;
    this.#onRead?.(projection, position, isSettled);
    return position;
  }

  /**
   * As `settled`, for those who must not act on less; they wait for 2 s at least.
   * @throws Unavailable when the projection does not get there in time.
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
