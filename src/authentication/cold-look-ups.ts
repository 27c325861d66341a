import { FairSemaphore } from '../event-log/fair-semaphore.js';
import { Unavailable } from '../kernel/errors.js';

/** Look-ups of keys that are not in memory, at once. */
const AT_ONCE = 16;
/** Look-ups that find nothing, in a second. */
const FRUITLESS_PER_SECOND = 1_000;
/** As many of these may come at once. */
const BURST = 100;
/** Look-ups that wait for each caller. One more is refused. */
const MOST_WAITING = 1_000;

/**
 * Bounds the work of keys that are not in memory (ADR 24). Look-ups take turns between callers. Those that find nothing
 * reach the log at most 1,000 times a second, so that a storm of invented keys does not.
 */
export class ColdLookUps {
  readonly #slots = new FairSemaphore(AT_ONCE);
  readonly #waiting = new Map<string, number>();
  #allowance = BURST;
  #countedAt: number;

  /** @param now milliseconds, by a clock that is never set back. */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.#countedAt = now();
  }

  /**
   * Looks a key up when it is the turn of the caller.
   * @param caller who takes turns with others, such as an account.
   * @param lookUp gives null where nothing is found.
   * @throws Unavailable when too many look-ups of the caller wait.
   */
  async run<Found>(caller: string, lookUp: () => Promise<Found | null>): Promise<Found | null> {
    const waiting = this.#waiting.get(caller) ?? 0;
    if (waiting >= MOST_WAITING) {
      throw new Unavailable('look-up of keys', 'too many keys that are not in use are looked up');
    }
    this.#waiting.set(caller, waiting + 1);
    try {
      return await this.#slots.run(caller, async () => {
        await this.#allowed();
        const found = await lookUp();
        if (found !== null) this.#allowance += 1;
        return found;
      });
    } finally {
      const left = (this.#waiting.get(caller) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(caller);
      else this.#waiting.set(caller, left);
    }
  }

  /** Takes one of the look-ups that may find nothing, and waits until there is one. */
  async #allowed(): Promise<void> {
    const now = this.now();
    const grown = ((now - this.#countedAt) * FRUITLESS_PER_SECOND) / 1_000;
    this.#allowance = Math.min(BURST, this.#allowance + grown) - 1;
    this.#countedAt = now;
    if (this.#allowance >= 0) return;
    const missing = -this.#allowance;
    await new Promise((resolve) => {
      setTimeout(resolve, Math.ceil((missing * 1_000) / FRUITLESS_PER_SECOND));
    });
  }
}
