import { setTimeout as delay } from 'node:timers/promises';
import { Unavailable } from '../../../kernel/errors.js';
import { SharedRead } from '../../../kernel/shared-read.js';

/** The minimum time between two queries to the directories. */
const ASKED_EVERY_MS = 10;
const MOST_WAITING = 10_000;

/** Asks the directories for many keys at once. Callers who ask at the same time share a query (ADR 24). */
export class ListedKeys {
  #hashes = new Set<string>();
  #askedAt = -Infinity;
  readonly #answer: SharedRead<ReadonlySet<string>>;

  /** @param ask returns the given hashes that belong to a key, as of a time after the call of `ask`. */
  constructor(ask: (hashes: readonly string[]) => Promise<ReadonlySet<string>>) {
    this.#answer = new SharedRead(async () => {
      // The hashes are taken before the pause, because the next query answers callers who come during the pause.
      const hashes = [...this.#hashes];
      this.#hashes = new Set();
      await delay(Math.max(0, this.#askedAt + ASKED_EVERY_MS - performance.now()));
      this.#askedAt = performance.now();
      return ask(hashes);
    });
  }

  /** Whether a hash belongs to a key. @throws Unavailable if the directories do not answer or too many hashes wait. */
  async has(hash: string): Promise<boolean> {
    if (this.#hashes.size >= MOST_WAITING) {
      throw new Unavailable('look-up of keys', 'too many keys that are not in use are looked up');
    }
    this.#hashes.add(hash);
    return (await this.#answer.read()).has(hash);
  }
}
