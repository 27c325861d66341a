import { messageOf } from '../kernel/errors.js';
import type { Position } from '../kernel/position.js';

/** A plain JSON object. */
export type Document = Readonly<Record<string, unknown>>;

export interface CollectionDefinition {
  /** Each index by name, as the document fields it covers in order. `range` uses no other way in. */
  readonly indexes: Readonly<Record<string, readonly string[]>>;
}

/** What a namespace holds: its collections by name. */
export type Collections = Readonly<Record<string, CollectionDefinition>>;

export interface Row<Kept extends object = Document> {
  readonly key: string;
  readonly document: Kept;
}

/** An index range: fixed values for the first fields of the index, bounds (inclusive) for the next one. */
export interface Range {
  readonly index: string;
  readonly equals: Readonly<Record<string, string | number | boolean>>;
  /** Several values for the field after `equals`; the bounds and the order are those of the field after it. */
  readonly anyOf?: readonly (string | boolean)[];
  readonly from?: number | string;
  readonly to?: number | string;
  /** Default false: ascending. */
  readonly descending?: boolean;
  /** Documents to pass over first; each costs as much as one that is returned. Default 0. */
  readonly skip?: number;
  readonly limit: number;
  /** Ends the range early, after at least one document, once it has about so many bytes. Default: no bound. */
  readonly bytes?: number;
}

export interface RangeResult<Kept extends object = Document> {
  readonly documents: Kept[];
  /** Whether the range ended by itself or by `limit`, and not by `bytes`. */
  readonly isWhole: boolean;
}

/** One state of a namespace: everything that is read through one view is as it was at `checkpoint`. */
export interface View {
  readonly checkpoint: Position;
  get<Kept extends object = Document>(collection: string, key: string): Promise<Kept | undefined>;
  /** The documents of those keys that exist. */
  getMany(collection: string, keys: readonly string[]): Promise<Map<string, Document>>;
  /** Documents in index order. Those that are equal in all fields of the index come in any order. */
  range<Kept extends object = Document>(
    collection: string,
    range: Range,
  ): Promise<RangeResult<Kept>>;
  /** Every document in byte order of keys, page by page: those after a key, '' at first. */
  scan<Kept extends object = Document>(
    collection: string,
    after: string,
    limit: number,
  ): Promise<Row<Kept>[]>;
}

export interface Change {
  readonly collection: string;
  readonly key: string;
  /** Null removes the document. */
  readonly document: Document | null;
  /** No such document exists, so that the store need not look. */
  readonly isNew: boolean;
}

/** Documents and a checkpoint that change together. It knows nothing of projections, generations or versions. */
export interface Namespace {
  /** The checkpoint now; START before the first write. */
  checkpoint(): Promise<Position>;

  /**
   * Reads one state. `read` may run again from its start on a later state, so it has no effects.
   * @param reader in a store that reads one at a time, readers take turns. Default: one reader that has no name.
   * @throws DamagedNamespaceError when what is stored is broken.
   */
  read<Result>(read: (view: View) => Promise<Result>, reader?: string): Promise<Result>;

  /**
   * Moves the checkpoint from `from` to `to` and writes what `fold` gives, all or nothing. `fold` reads through its view
   * alone, which is of `from`, and may run again. It has read every document that it changes, unless `isNew` says that
   * there is none. The write is refused when anything that it read is no longer so.
   * @param to greater than `from`.
   * @throws StaleCheckpointError when the checkpoint is not `from`: another process wrote meanwhile.
   * @throws DamagedNamespaceError as reads do.
   */
  write(
    from: Position,
    to: Position,
    fold: (view: View) => Promise<readonly Change[]>,
  ): Promise<void>;

  /**
   * Does what was put off while a namespace that nobody reads yet was filled (indexes, durability).
   * @param signal ends it soon; a later call does the rest.
   */
  settle(signal?: AbortSignal): Promise<void>;

  /** Lets go of what this process holds of it, such as files. It is opened again at its next use. */
  close(): Promise<void>;
}

export interface NamespaceState {
  readonly name: string;
  readonly checkpoint: Position;
}

/** What a lease was asked with, and what came of it. */
export interface Lease {
  /** Whether the holder that asked has it now. */
  readonly isHeld: boolean;
}

/**
 * A store of documents, embedded or on a server. Every promise rejects with `Unavailable` when the store cannot be
 * reached. Names of namespaces are made of a-z, 0-9, `-` and `.`, at most 100 characters.
 */
export interface ReadStore {
  /** @param isFilled the namespace is being filled from the start and nobody else reads it yet. Default false. */
  namespace(name: string, collections: Collections, options?: { isFilled?: boolean }): Namespace;

  /** Every namespace that was written to, in one question. */
  namespaces(): Promise<NamespaceState[]>;

  /**
   * Removes a namespace for good. One that does not exist is no fault. In this process its reads and writes reject with
   * `Unavailable` from then on; other processes are refused, or read on.
   */
  drop(name: string): Promise<void>;

  /**
   * Asks for a lease or keeps it. It lasts `forMs` by the clock of whoever watches it stand still: no clocks of two
   * machines are compared. Leases save work; `Namespace.write` is safe without.
   * @param progress a text that changes when the holder comes nearer to its goal. A store on a server does not prolong a
   * lease whose progress stands still: progress is proof of life, asking is not. An embedded lease ends with its process.
   */
  lease(name: string, holder: string, progress: string, forMs: number): Promise<Lease>;

  /** Gives a lease up at once. */
  release(name: string, holder: string): Promise<void>;

  /** @throws Unavailable when the store does not answer. */
  ping(): Promise<void>;

  close(): Promise<void>;
}

export const READ_STORE = Symbol('ReadStore');

export class StaleCheckpointError extends Error {
  override readonly name = 'StaleCheckpointError';

  constructor(namespace: string) {
    super(`another process moved the checkpoint of ${namespace}`);
  }
}

export class DamagedNamespaceError extends Error {
  override readonly name = 'DamagedNamespaceError';

  constructor(namespace: string, cause: unknown) {
    super(`what the read store has of ${namespace} is damaged: ${messageOf(cause)}`, { cause });
  }
}
