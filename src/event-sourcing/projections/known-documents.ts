import { LRUCache } from 'lru-cache';
import { sizeOf } from '../../kernel/sizes.js';
import type { Change, Document } from '../read-store/read-store.js';

/** The most bytes of documents of a collection that stay known from one batch to the next. */
const MOST_KNOWN_BYTES = 8_000_000;

/** Null says that the store has no such document. */
interface Known {
  readonly document: Document | null;
}

/**
 * The documents that batches have read, as the last batch left them, so that the next batch need
 * not read them. Nobody else changes them, because nobody else moves the checkpoint.
 */
export class KnownDocuments {
  /** The documents that the present batch has read. All of them stay known until `endBatch`. */
  readonly #read = new Map<string, Map<string, Document | null>>();
  readonly #kept = new Map<string, LRUCache<string, Known>>();
  /** The documents that were changed last, which the store may not have yet. */
  #changed = new Map<string, Map<string, Document | null>>();

  /** Returns a document; null when the store has none, and undefined when it is not known. */
  get(collection: string, key: string): Document | null | undefined {
    const read = this.#read.get(collection)?.get(key);
    if (read !== undefined) return read;
    const kept = this.#kept.get(collection)?.get(key)?.document;
    return kept === undefined ? this.#changed.get(collection)?.get(key) : kept;
  }

  add(collection: string, key: string, document: Document | null): void {
    const read = this.#read.get(collection) ?? new Map<string, Document | null>();
    this.#read.set(collection, read.set(key, document));
  }

  /**
   * Takes over what is written next. A document that was never read is known until the next call.
   * @param sizes of each change, in bytes.
   */
  change(changes: readonly Change[], sizes: readonly number[]): void {
    this.#changed = new Map();
    for (const [index, { collection, key, document }] of changes.entries()) {
      const changed = this.#changed.get(collection) ?? new Map<string, Document | null>();
      this.#changed.set(collection, changed.set(key, document));
      const read = this.#read.get(collection);
      const kept = this.#kept.get(collection);
      if (read?.has(key) === true) read.set(key, document);
      else if (kept?.has(key) === true) kept.set(key, { document }, { size: sizes[index] ?? 1 });
    }
  }

  /** Lets go what was used least of all, so that what is known is bounded. */
  endBatch(): void {
    for (const [collection, documents] of this.#read) {
      const kept = this.#kept.get(collection) ?? new LRUCache({ maxSize: MOST_KNOWN_BYTES });
      this.#kept.set(collection, kept);
      for (const [key, document] of documents)
        kept.set(key, { document }, { size: key.length + sizeOf(document) });
    }
    this.#read.clear();
  }
}
