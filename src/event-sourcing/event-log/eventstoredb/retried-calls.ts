import type { EventStoreDBClient } from '@eventstore/db-client';
import { Backoff } from '../../waiting/backoff.js';
import { Unavailable } from '../../../kernel/errors.js';
import { pause } from '../../waiting/pause.js';
import { FairSemaphore } from '../../waiting/fair-semaphore.js';
import type { Connection } from './connection.js';
import { isSilence, mayPass, finalError, Silence } from './faults.js';

const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 500;
/** The key of calls, which take their turns in the order of arrival. */
const NOBODY = '';

/** Makes one attempt with a client of the leader, which may take `withinMs`. */
type Attempt<Result> = (client: EventStoreDBClient, withinMs: number) => Promise<Result>;

export interface CallLimits {
  /** The most calls at once. A connection carries 100, and holds back others without an error. */
  readonly atOnce: number;
  readonly attemptMs: number;
  readonly deadlineMs: number;
}

/** Runs a limited number of calls at once. Repeats each until a deadline while that may help. */
export class RetriedCalls {
  readonly #slots: FairSemaphore;

  /** @param closed aborts when the event log closes. After that, no attempt begins. */
  constructor(
    private readonly limits: CallLimits,
    private readonly connection: Pick<Connection, 'leader' | 'reportSilence' | 'part'>,
    private readonly closed: AbortSignal,
  ) {
    this.#slots = new FairSemaphore(limits.atOnce);
  }

  /**
   * @param what the call does, for an operator. Default: it reads `$all`.
   * @throws Unavailable when no attempt succeeds in time or the log is closed; another error if no
   * repetition can help.
   */
  async run<Result>(attempt: Attempt<Result>, what?: string): Promise<Result> {
    const deadline = performance.now() + this.limits.deadlineMs;
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    /** The last error that came from the server. It says more than a silence. */
    let reported: unknown;
    for (;;) {
      if (this.closed.aborted) throw new Unavailable(this.connection.part, 'it is closed');
      try {
        return await this.#inSlot(deadline, attempt);
      } catch (error) {
        if (!mayPass(error)) throw finalError(error, this.connection.part, what);
        if (!(error instanceof Silence)) reported = error;
        await backOff(backoff, this.closed);
        if (performance.now() >= deadline) {
          throw new Unavailable(this.connection.part, reported ?? error);
        }
      }
    }
  }

  async #inSlot<Result>(deadline: number, attempt: Attempt<Result>): Promise<Result> {
    const leftMs = (): number => Math.max(1, deadline - performance.now());
    const withinMs = leftMs();
    const call = async (): Promise<Result> => {
      const client = await this.connection.leader(leftMs());
      return this.#attempt(client, leftMs(), attempt);
    };
    const patience = { withinMs, late: () => Silence.after(withinMs) };
    return this.#slots.run(NOBODY, call, { patience });
  }

  async #attempt<Result>(
    client: EventStoreDBClient,
    leftMs: number,
    attempt: Attempt<Result>,
  ): Promise<Result> {
    const began = performance.now();
    try {
      return await attempt(client, Math.min(leftMs, this.limits.attemptMs));
    } catch (error) {
      // An attempt that began just before the deadline says nothing about the server.
      if (isSilence(error) && leftMs >= this.limits.attemptMs) this.connection.reportSilence(began);
      throw error;
    }
  }
}

/** Waits until the next attempt, with some jitter, or less if the signal aborts. */
export function backOff(backoff: Backoff, signal: AbortSignal): Promise<void> {
  return pause(backoff.next() * (0.5 + Math.random() / 2), signal);
}
