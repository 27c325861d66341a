import { LRUCache } from 'lru-cache';

/** The state of a stream up to a revision. */
export interface Folded<State> {
  readonly state: State;
  /** The revision of the last folded event; -1 when no event was folded. */
  readonly revision: number;
  /** A time by `performance.now()`. The state includes every event that any process wrote before this time. */
  readAt: number;
}

const MIB = 1024 * 1024;
/** The greatest size of all kept states together, without the single large state. */
const MOST_BYTES = 48 * MIB;
/** The size above which a state would push out all others. The quotas of docs/api.md 2.9 keep each state smaller. */
const LARGEST_BYTES = 16 * MIB;
/** The memory that an entry needs besides its state and the name of its stream. */
const ENTRY_BYTES = 400;

/**
 * A cache of the states that were used last, within a bound of bytes. It also keeps the last state that is too large
 * for the bound, because otherwise each request for this state would fold its whole stream. It keeps no second large
 * state, because the heap may have no room for two (ADR 19).
 */
export class FoldedStates {
  readonly #states = new LRUCache<string, Folded<unknown>>({ maxSize: MOST_BYTES });
  #large: { readonly stream: string; readonly folded: Folded<unknown> } | undefined;

  get(stream: string): Folded<unknown> | undefined {
    return this.#large?.stream === stream ? this.#large.folded : this.#states.get(stream);
  }

  /** @param size the size of the state in bytes. */
  set(stream: string, folded: Folded<unknown>, size: number): void {
    const known = this.get(stream);
    if (known && known.revision > folded.revision) return;
    if (this.#large?.stream === stream) this.#large = undefined;
    this.#states.delete(stream);
    if (isLarge(size)) this.#large = { stream, folded };
    else this.#states.set(stream, folded, { size: size + 2 * stream.length + ENTRY_BYTES });
  }

  /** Removes the large state, to make room for another large state. */
  forgetLarge(): void {
    this.#large = undefined;
  }
}

/** Whether a state of `size` bytes is too large for the memory that all states share. */
export function isLarge(size: number): boolean {
  return size > LARGEST_BYTES;
}
