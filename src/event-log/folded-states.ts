import { LRUCache } from 'lru-cache';

/** The state of a stream up to a revision. */
export interface Folded<State> {
  readonly state: State;
  /** Of the last event; -1 when there is none. */
  readonly revision: number;
  /** By `performance.now()`. The state holds every event that was written before, by any process. */
  readAt: number;
}

const MIB = 1024 * 1024;
/** The bound of all states but a single large one. */
const MOST_BYTES = 48 * MIB;
/** With the quotas of docs/api.md 2.9 a state is smaller. A larger one would push out all others. */
const LARGEST_BYTES = 16 * MIB;
/** The cost of an entry besides its state. */
const ENTRY_BYTES = 400;

/**
 * The states that were folded last, within a bound of bytes. The last state that is too large for the bound is kept beside
 * them, as each request for it would fold its whole stream otherwise. A second one is not kept: the heap may have no room
 * for two (ADR 19).
 */
export class FoldedStates {
  readonly #states = new LRUCache<string, Folded<unknown>>({ maxSize: MOST_BYTES });
  #large: { readonly stream: string; readonly folded: Folded<unknown> } | undefined;

  get(stream: string): Folded<unknown> | undefined {
    return this.#large?.stream === stream ? this.#large.folded : this.#states.get(stream);
  }

  /** @param size of the state in bytes. */
  set(stream: string, folded: Folded<unknown>, size: number): void {
    const known = this.get(stream);
    if (known && known.revision > folded.revision) return;
    if (this.#large?.stream === stream) this.#large = undefined;
    this.#states.delete(stream);
    if (isLarge(size)) this.#large = { stream, folded };
    else this.#states.set(stream, folded, { size: size + 2 * stream.length + ENTRY_BYTES });
  }

  /** Makes room for another large state. */
  forgetLarge(): void {
    this.#large = undefined;
  }
}

/** Whether a state of so many bytes is too large to be kept among others. */
export function isLarge(size: number): boolean {
  return size > LARGEST_BYTES;
}
