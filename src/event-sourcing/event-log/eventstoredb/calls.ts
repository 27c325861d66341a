import { Unavailable } from '../../../kernel/errors.js';
import type { Connection } from './connection.js';
import { isSilence, mayPass, refused, TimedOut } from './faults.js';
import { pause, pauses } from './pause.js';
import { Semaphore } from './semaphore.js';

const LONGEST_PAUSE_MS = 500;

export interface CallLimits {
  /** The most calls under way at once. Further calls wait. */
  readonly atOnce: number;
  /** How long one attempt may take. */
  readonly attemptMs: number;
  /** How long attempts are repeated. */
  readonly deadlineMs: number;
}

/** Runs calls of one kind, a limited number at once. Repeats a call while a repetition may help, until a deadline. */
export class Calls {
  readonly #slots: Semaphore;

  /** @param closed aborts when the event log closes. After that, no attempt begins. */
  constructor(
    private readonly limits: CallLimits,
    private readonly connection: Connection,
    private readonly closed: AbortSignal,
  ) {
    this.#slots = new Semaphore(limits.atOnce);
  }

  /**
   * @param attempt makes one attempt, which may take `withinMs`.
   * @throws Unavailable when no attempt succeeds in time or the log is closed; another error if no repetition can help.
   */
  async run<Result>(attempt: (withinMs: number) => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + this.limits.deadlineMs;
    const backoff = pauses(LONGEST_PAUSE_MS);
    /** The last error that came from the server. It says more than a timeout. */
    let told: unknown;
    for (;;) {
      if (this.closed.aborted) throw new Unavailable('event log', 'it is closed');
      const leftMs = (): number => Math.max(1, deadline - performance.now());
      try {
        return await this.#slots.run(leftMs(), () => this.#attempt(leftMs(), attempt));
      } catch (error) {
        if (!mayPass(error)) throw refused(error);
        if (!(error instanceof TimedOut)) told = error;
        await pause(backoff, this.closed);
        if (performance.now() >= deadline) throw new Unavailable('event log', told ?? error);
      }
    }
  }

  /** Makes one attempt, and tells the connection whether the server answered. */
  async #attempt<Result>(
    leftMs: number,
    attempt: (withinMs: number) => Promise<Result>,
  ): Promise<Result> {
    const began = performance.now();
    const patience = this.connection.patience(this.limits.attemptMs);
    try {
      const result = await attempt(Math.min(leftMs, patience));
      this.connection.answered(began);
      return result;
    } catch (error) {
      // An attempt that began just before the deadline says nothing about the server.
      if (isSilence(error) && leftMs >= patience) this.connection.silent(began);
      throw error;
    }
  }
}
