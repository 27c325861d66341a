import { FairSemaphore } from '../../../event-sourcing/decisions/fair-semaphore.js';

/** The maximum number of concurrent look-ups of keys that are not in memory. */
const AT_ONCE = 16;
/** The maximum number of fruitless look-ups per second. Each look-up costs the log server and its client 1 to 2 ms. */
const FRUITLESS_PER_SECOND = 50;
/** The number of fruitless look-ups that may begin at once. While as many look-ups wait, `take` allows none. */
const BURST = 16;

/** A look-up of a key in the log. */
export interface ColdLookUp<Found> {
  /** The caller whose look-ups take turns with those of other callers, such as an account. */
  readonly caller: string;
  /** Reads the key from the log. Returns null when there is no such key. */
  readonly read: () => Promise<Found | null>;
  /** Whether `take` allowed the look-up. If not, a directory lists the key. */
  readonly isAllowed: boolean;
}

/**
 * Limits look-ups of keys that are not in memory (ADR 24). Callers take turns. Look-ups that find nothing reach the log
 * at most 50 times a second, and less often when the log is slow. Beyond this limit, only keys in a directory are read.
 */
export class ColdLookUps {
  readonly #slots = new FairSemaphore(AT_ONCE);
  #allowance = BURST;
  #countedAt: number;

  /** @param now returns the time in milliseconds, by a clock that is never set back. */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.#countedAt = now();
  }

  /** Allows a look-up that may find nothing. @returns false beyond the limit; then a directory must list the key. */
  take(): boolean {
    const now = this.now();
    const grown = ((now - this.#countedAt) * FRUITLESS_PER_SECOND) / 1_000;
    this.#allowance = Math.min(BURST, this.#allowance + grown);
    this.#countedAt = now;
    if (this.#allowance < 1 || this.#slots.waiting >= BURST) return false;
    this.#allowance -= 1;
    return true;
  }

  /** Looks a key up when the caller has the turn. An allowed look-up that finds a key does not count as fruitless. */
  async run<Found>({ caller, read, isAllowed }: ColdLookUp<Found>): Promise<Found | null> {
    const found = await this.#slots.run(caller, read);
    if (isAllowed && found !== null) this.#allowance += 1;
    return found;
  }
}
