import { FairSemaphore } from '../event-log/fair-semaphore.js';

/** Look-ups of keys that are not in memory, at once. */
const AT_ONCE = 16;
/** Look-ups that find nothing, in a second. A log server and its client take a millisecond or two for each. */
const FRUITLESS_PER_SECOND = 50;
/** As many of these may come at once. While so many wait, a log is slower than that, and no other may join them. */
const BURST = 16;

/** A look-up of a key in the log. */
export interface ColdLookUp<Found> {
  /** The caller who takes turns with others, such as an account. */
  readonly caller: string;
  /** Reads the log; null where nothing is found. */
  readonly read: () => Promise<Found | null>;
  /** Whether `take` allowed it. Else it is of a key that the directories know. */
  readonly isAllowed: boolean;
}

/**
 * Bounds the work of keys that are not in memory (ADR 24). Look-ups take turns between callers. Those that find nothing
 * reach the log at most 50 times a second, or as often as it answers. Beyond that only keys that the directories know do.
 */
export class ColdLookUps {
  readonly #slots = new FairSemaphore(AT_ONCE);
  #allowance = BURST;
  #countedAt: number;

  /** @param now milliseconds, by a clock that is never set back. */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.#countedAt = now();
  }

  /** Allows a look-up that may find nothing. @returns false beyond the bound: then the directories must know the key. */
  take(): boolean {
    const now = this.now();
    const grown = ((now - this.#countedAt) * FRUITLESS_PER_SECOND) / 1_000;
    this.#allowance = Math.min(BURST, this.#allowance + grown);
    this.#countedAt = now;
    if (this.#allowance < 1 || this.#slots.waiting >= BURST) return false;
    this.#allowance -= 1;
    return true;
  }

  /** Looks a key up when it is the turn of the caller. An allowed look-up that finds a key does not count. */
  async run<Found>({ caller, read, isAllowed }: ColdLookUp<Found>): Promise<Found | null> {
    const found = await this.#slots.run(caller, read);
    if (isAllowed && found !== null) this.#allowance += 1;
    return found;
  }
}
