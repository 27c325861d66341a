import { inTime } from '../kernel/in-time.js';
import type { FixedWindows, WindowLimit } from './fixed-windows.js';
import { type CountedUse, CounterInMemory, type UseCounter } from './use-counter.js';

/** The time limits of requests to the count that all replicas share. Beyond them, this process counts by itself. */
export interface Patience {
  readonly answeredWithinMs: number;
  /** The pause after a failure, before a request asks the shared count again. */
  readonly askedAgainAfterMs: number;
}

const PATIENCE: Patience = { answeredWithinMs: 2_000, askedAgainAfterMs: 1_000 };

/** A log that gets one line when the shared count fails, and one line when the shared count answers again. */
export interface OutageLog {
  warn(line: { readonly msg: string }): void;
  log(line: { readonly msg: string }): void;
}

/**
 * A counter of uses in the windows that all replicas share. While these windows are unavailable or slow, it counts in
 * the memory of this process, so that no request fails or hangs because of a count (ADR 16).
 */
export class InsuredWindows implements UseCounter {
  readonly #own = new CounterInMemory();
  #lost = false;
  #askAgainAt = 0;

  /** @param shared null when this process is the only replica. */
  constructor(
    private readonly shared: FixedWindows | null,
    private readonly log: OutageLog,
    private readonly patience = PATIENCE,
  ) {}

  async use(id: string, limit: WindowLimit, now: Date): Promise<CountedUse> {
    const use = await this.#ask((shared) => shared.use(id, limit, now));
    if (!use) return this.#own.use(id, limit, now);
    return { ...use, giveBack: () => this.#ask((shared) => shared.giveBack(id, use.window)) };
  }

  /** @returns undefined when the shared count does not answer. */
  async #ask<Answer>(
    question: (shared: FixedWindows) => Promise<Answer>,
  ): Promise<Answer | undefined> {
    if (!this.shared) return undefined;
    const { answeredWithinMs, askedAgainAfterMs } = this.patience;
    if (this.#lost) {
      if (performance.now() < this.#askAgainAt) return undefined;
      // Only this request asks. Other requests do not wait for the answer.
      this.#askAgainAt = performance.now() + answeredWithinMs + askedAgainAfterMs;
    }
    try {
      const answer = await inTime(question(this.shared), answeredWithinMs);
      if (this.#lost) {
        this.log.log({ msg: 'creations of keys are counted with the other replicas again' });
      }
      this.#lost = false;
      return answer;
    } catch (error) {
      this.#askAgainAt = performance.now() + askedAgainAfterMs;
      if (!this.#lost) {
        const msg = `creations of keys are counted by this replica alone: ${String(error)}`;
        this.log.warn({ msg });
      }
      this.#lost = true;
      return undefined;
    }
  }
}
