import { Unavailable } from '../../kernel/errors.js';
import type { Position } from '../../kernel/position.js';

export type Document = Readonly<Record<string, unknown>>;

/** Collections as a store knows them: with any names, and with documents of any types. */
type Untyped = Readonly<Record<string, Document>>;

/** The names in a type that has the type of the documents of each collection, by the collection's name. */
export type NameIn<Types> = keyof Types & string;

export interface CollectionDefinition<Kept = Document> {
  /** The document fields that each index covers, in order, by index name. `range` reads through these indexes only. */
  readonly indexes: Readonly<Record<string, readonly NameIn<Kept>[]>>;
  /**
   * The fields of a document that answers show, in order. `records` returns them as JSON, and a store
   * may keep them so. Every other field is a text or a number that an index covers.
   */
  readonly record?: readonly NameIn<Kept>[];
}

export type Collections<Types = Untyped> = {
  readonly [Name in NameIn<Types>]: CollectionDefinition<Types[Name]>;
};

export interface Row<Kept = Document> {
  readonly key: string;
  readonly document: Kept;
}

/** The part of an index that has fixed values for the first fields of the index. */
export interface IndexPart {
  readonly index: string;
  readonly equals: Readonly<Record<string, string | number | boolean>>;
  /** Allowed values of the next field of the index. */
  readonly anyOf?: readonly (string | boolean)[];
}

type Bound = number | string | undefined;

/** A range of an index: a part of the index, with bounds and an order for the field after the fixed fields. */
export interface Range extends IndexPart {
  /** The lowest value, and the greatest. */
  readonly from?: Bound;
  readonly to?: Bound;
  /** A value that all values are greater than, and one that all are less than. */
  readonly after?: Bound;
  readonly before?: Bound;
  /** Whether the documents come in descending order. Default false. */
  readonly descending?: boolean;
  /** The number of documents to skip first. Skipping a document costs as much as returning it. Default 0. */
  readonly skip?: number;
  readonly limit: number;
  /** The approximate number of bytes at which the range ends early, after at least one document. Default: no bound. */
  readonly bytes?: number;
}

export interface RangeResult<Kept = Document> {
  readonly documents: Kept[];
  /** Whether the result has all documents of the range up to `limit`; false when `bytes` ended the range early. */
  readonly isWhole: boolean;
}

/** One state of a namespace: every read through a view sees the documents as they were at `checkpoint`. */
export interface View<Types = Untyped> {
  readonly checkpoint: Position;
  get<Name extends NameIn<Types>>(collection: Name, key: string): Promise<Types[Name] | undefined>;
  /** Returns the documents that exist under the given keys, by key. */
  getMany<Name extends NameIn<Types>>(
    collection: Name,
    keys: readonly string[],
  ): Promise<Map<string, Types[Name]>>;
  /** Returns documents in index order. Documents that are equal in all fields of the index come in any order. */
  range<Name extends NameIn<Types>>(
    collection: Name,
    range: Range,
  ): Promise<RangeResult<Types[Name]>>;
  /**
   * Returns the records of documents in index order, each as JSON, from a collection that defines its
   * `record`.
   */
  records(collection: NameIn<Types>, range: Omit<Range, 'bytes'>): Promise<string[]>;
  /** Counts the documents in a part of an index. The cost grows with their number. */
  count(collection: NameIn<Types>, part: IndexPart): Promise<number>;
  /** Returns a page of the documents, in byte order of keys. `after` is the last key before the page, '' at first. */
  scan<Name extends NameIn<Types>>(
    collection: Name,
    after: string,
    limit: number,
  ): Promise<Row<Types[Name]>[]>;
}

/**
 * Returns a view of some of the collections, with the types of their documents. A store does not check the types. They
 * hold because only the code that defines the collections writes documents into them.
 */
export function viewOf<Types>(view: View, _definitions: Collections<Types>): View<Types> {
  return view as View<Types>;
}

export interface Change {
  readonly collection: string;
  readonly key: string;
  /** Null removes the document. */
  readonly document: Document | null;
  /** Whether no document with this key exists yet, so that the store need not look for one. */
  readonly isNew: boolean;
}

/** The keys of documents, by collection. */
export type Keys<Name extends string = string> = Readonly<Partial<Record<Name, readonly string[]>>>;

export interface ReadOptions {
  /** The reader's name. In a store that runs one read at a time, readers take turns. Default: no name. */
  readonly reader?: string | undefined;
  /**
   * Documents that the read will get: a few, because a store on a server sends all of them with the
   * state itself, in one answer of at most 16 MB.
   */
  readonly ahead?: Keys;
}

/** Documents and a checkpoint that change together. A namespace knows no projections, generations or versions. */
export interface Namespace {
  /** Returns the current checkpoint; START before the first write. */
  checkpoint(): Promise<Position>;

  /**
   * Calls `read` with a view of one state. `read` must have no effects, because the store may call it again with a view
   * of a later state.
   */
  read<Result>(read: (view: View) => Promise<Result>, options?: ReadOptions): Promise<Result>;

  /**
   * Moves the checkpoint from `from` to `to` and writes the changes, all or nothing. One write runs
   * at a time. Reads may go on beside it.
   * @param to greater than `from`.
   * @throws StaleCheckpointError when the checkpoint is not `from`, because another process wrote meanwhile.
   * @throws an error when a document is there that is to be new.
   */
  write(from: Position, to: Position, changes: readonly Change[]): Promise<void>;

  /**
   * Does the work that was postponed while the namespace was filled and nobody read it (indexes, durability).
   * @param signal ends the work soon after it aborts; a later call does the rest.
   */
  settle(signal?: AbortSignal): Promise<void>;

  /** Marks the namespace as one that serves. Stored with the namespace, also when nothing was written before. */
  serve(): Promise<void>;

  /** Releases what this process holds of the namespace, such as open files. The next use opens the namespace again. */
  close(): Promise<void>;
}

export interface NamespaceState {
  readonly name: string;
  /** START also while the namespace is locked or damaged. Reads report the damage. */
  readonly checkpoint: Position;
  /** Whether `serve` was called. False while the namespace is locked or damaged. */
  readonly serves: boolean;
  /** Whether another process holds the namespace for itself, as while an embedded namespace is filled. */
  readonly isLocked: boolean;
  /** Whether a process ended while it filled the namespace, and its last writes may be lost or torn. */
  readonly isTorn: boolean;
}

export interface Lease {
  readonly isHeld: boolean;
  /** What the holder told last. Null when the holder that asked has it, and in an embedded store. */
  readonly progress: string | null;
}

/**
 * A store of documents, embedded or on a server. Every promise rejects with `Unavailable` when the store cannot be
 * reached, or its data are damaged. The name of a namespace has at most 100 characters, of a-z, 0-9, `-` and `.`.
 */
export interface ReadStore {
  /** Whether other processes read from the store too. */
  readonly isShared: boolean;

  /** @param isFilled whether the namespace is being filled from empty and nobody else reads it yet. Default false. */
  namespace(name: string, collections: Collections, options?: { isFilled?: boolean }): Namespace;

  /**
   * Returns the state of every namespace that was written to. A store on a server needs one query, and now and then a
   * second, to find namespaces of which somebody dropped a part: they are dropped as a whole.
   */
  namespaces(): Promise<NamespaceState[]>;

  /**
   * Removes a namespace for good. A namespace that does not exist is no error. In this process, reads and writes of the
   * namespace then reject with `Unavailable`. In other processes, writes reject too, and reads reject or still succeed.
   */
  drop(name: string): Promise<void>;

  /**
   * Takes or prolongs a lease. A holder loses the lease to a process that has seen the same `progress` for `forMs`, by
   * the clock of that process, because clocks of two machines are never compared. Leases only save work:
   * `Namespace.write` is safe without a lease.
   * @param progress a string that the holder changes as long as it works. A store on a server does not prolong a lease
   * whose progress stands still, even when the holder asks again. An embedded lease ends with its process.
   */
  lease(name: string, holder: string, progress: string, forMs: number): Promise<Lease>;

  /** Ends a lease of the holder at once. */
  release(name: string, holder: string): Promise<void>;

  /** @throws Unavailable when the store does not answer, an Error when its directory was deleted or replaced. */
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

/**
 * The error of a namespace that another process dropped, and perhaps filled again. It ends when the checkpoint is asked
 * for, because that may be lower than before.
 */
export class DroppedNamespaceError extends Unavailable {
  constructor(namespace: string) {
    super('read store', `${namespace}, or a part of it, was dropped`);
  }
}
