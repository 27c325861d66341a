import { Unavailable } from '../../kernel/errors.js';
import type { Position } from '../../kernel/position.js';

export type Document = Readonly<Record<string, unknown>>;

/** Collections as a store knows them: with any names, and with documents of any types. */
type Untyped = Readonly<Record<string, Document>>;

/** The names of collections in a type that maps each of them to the type of its documents. */
export type NameIn<Types> = keyof Types & string;

export interface CollectionDefinition<Kept = Document> {
  /** The fields that each index covers, in order, by index name. `range` reads only by these. */
  readonly indexes: Readonly<Record<string, readonly NameIn<Kept>[]>>;
  /**
   * The fields of a document that answers show, in order. `records` returns them as JSON, and a
   * store may keep them so. Every other field is a text or a number that an index covers.
   */
  readonly record?: readonly NameIn<Kept>[];
  /**
   * Fields of indexes whose texts recur in many documents, so that a store may keep each text once.
   * A range gives a value for each such field of its index, because the field has no order.
   */
  readonly recurring?: readonly NameIn<Kept>[];
}

export type Collections<Types = Untyped> = {
  readonly [Name in NameIn<Types>]: CollectionDefinition<Types[Name]>;
};

export interface Row<Kept = Document> {
  readonly key: string;
  readonly document: Kept;
}

type Bound = number | string | undefined;

/**
 * The part of an index that has fixed values for the first fields of the index, and bounds for the
 * field after these. No document without that field is within a bound.
 */
export interface IndexPart {
  readonly index: string;
  readonly equals: Readonly<Record<string, string | number | boolean>>;
  /** Allowed values of the next field of the index. */
  readonly anyOf?: readonly (string | boolean)[];
  /** The lowest value, and the greatest. */
  readonly from?: Bound;
  readonly to?: Bound;
  /** A value that all values are greater than, and one that all are less than. */
  readonly after?: Bound;
  readonly before?: Bound;
}

/** A part of an index in the order of the field after the fixed fields. */
export interface Range extends IndexPart {
  /** Whether the documents come in descending order. Default false. */
  readonly descending?: boolean;
  /** The documents to skip first, each at the cost of one that is returned. Default 0. */
  readonly skip?: number;
  readonly limit: number;
  /** About how many bytes end the range early, after at least one document. Default: no bound. */
  readonly bytes?: number;
}

export interface RangeResult<Kept = Document> {
  readonly documents: Kept[];
  /** Whether it has all documents of the range up to `limit`; false when `bytes` ended it early. */
  readonly isWhole: boolean;
}

/** One state of a namespace: each read through a view sees the documents as at `checkpoint`. */
export interface View<Types = Untyped> {
  readonly checkpoint: Position;
  get<Name extends NameIn<Types>>(collection: Name, key: string): Promise<Types[Name] | undefined>;
  /** Returns the documents that exist under the given keys, by key. */
  getMany<Name extends NameIn<Types>>(
    collection: Name,
    keys: readonly string[],
  ): Promise<Map<string, Types[Name]>>;
  /** Returns documents in index order; those that are equal in all its fields come in any order. */
  range<Name extends NameIn<Types>>(
    collection: Name,
    range: Range,
  ): Promise<RangeResult<Types[Name]>>;
  /** Returns documents' records as JSON in index order. The collection must define its `record`. */
  records(collection: NameIn<Types>, range: Omit<Range, 'bytes'>): Promise<string[]>;
  /**
   * Counts the documents in a part of an index. The cost grows with their number. Other work of the
   * process goes on meanwhile.
   */
  count(collection: NameIn<Types>, part: IndexPart): Promise<number>;
  /** Returns documents in byte order of keys. `after` is the last key before them, '' at first. */
  scan<Name extends NameIn<Types>>(
    collection: Name,
    after: string,
    limit: number,
  ): Promise<Row<Types[Name]>[]>;
}

/**
 * Returns a view of some of the collections, with the types of their documents. A store does not
 * check them. They hold because only the code that defines the collections writes their documents.
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

export type Keys<Name extends string = string> = Readonly<Partial<Record<Name, readonly string[]>>>;

export interface ReadOptions {
  /** The reader's name. Where one read runs at a time, readers take turns. Default: no name. */
  readonly reader?: string | undefined;
  /**
   * Documents that the read will get: a few, because a store on a server sends all of them with the
   * state itself, in one answer of at most 16 MB.
   */
  readonly ahead?: Keys;
}

/** Documents and a checkpoint that change together. It knows no projections or generations. */
export interface Namespace {
  /** Returns the current checkpoint; START before the first write. */
  checkpoint(): Promise<Position>;

  /**
   * Calls `read` with a view of one state. `read` must have no effects, because the store may call
   * it again with a view of a later state.
   */
  read<Result>(read: (view: View) => Promise<Result>, options?: ReadOptions): Promise<Result>;

  /**
   * Moves the checkpoint from `from` to `to` and writes the changes, all or nothing.
   * @param to greater than `from`.
   * @throws StaleCheckpointError when the checkpoint is not `from`: another process wrote.
   * @throws an error when a document is there that is to be new.
   */
  write(from: Position, to: Position, changes: readonly Change[]): Promise<void>;

  /**
   * Does the work that was postponed while the namespace was filled, unread (indexes, durability).
   * @param signal ends the work soon after it aborts; a later call does the rest.
   */
  settle(signal?: AbortSignal): Promise<void>;

  /** Marks the namespace as one that serves, and stores that, also before the first write. */
  serve(): Promise<void>;

  /** Releases what this process holds of it, such as open files. The next use opens it again. */
  close(): Promise<void>;
}

export interface NamespaceState {
  readonly name: string;
  /** START also while the namespace is locked or damaged. Reads report the damage. */
  readonly checkpoint: Position;
  /** Whether `serve` was called. False while the namespace is locked or damaged. */
  readonly serves: boolean;
  /** Whether another process has it for itself, as while an embedded namespace is filled. */
  readonly isLocked: boolean;
  /** Whether a process ended while it filled this, and its last writes may be lost or torn. */
  readonly isTorn: boolean;
}

export interface Lease {
  readonly isHeld: boolean;
  /** The last report of the holder. Null for the holder itself, and in an embedded store. */
  readonly progress: string | null;
}

/**
 * A store of documents, embedded or on a server. Promises reject with `Unavailable` when it is out
 * of reach or damaged. The name of a namespace has at most 100 characters of a-z, 0-9, `-`, `.`.
 */
export interface ReadStore {
  /** Whether other processes read from the store too. */
  readonly isShared: boolean;

  /** @param isFilled whether it is being filled from empty, and nobody reads it. Default false. */
  namespace(name: string, collections: Collections, options?: { isFilled?: boolean }): Namespace;

  /**
   * Returns the state of every namespace that was written to. A store on a server needs one query,
   * and a second when there are new ones. A namespace of which somebody dropped a part is dropped
   * as a whole.
   */
  namespaces(): Promise<NamespaceState[]>;

  /**
   * Removes a namespace for good, if there is one. In this process its reads and writes then reject
   * with `Unavailable`. In others its writes reject too, and its reads reject or still succeed.
   */
  drop(name: string): Promise<void>;

  /**
   * Takes or prolongs a lease. Its holder loses it to a process that has seen the same `progress`
   * for `forMs` by its own clock, because clocks of two machines are never compared. Leases only
   * save work: `Namespace.write` is safe without a lease.
   * @param progress a string that the holder changes as long as it works. A server prolongs no
   * lease whose progress stands still, even for its holder. An embedded lease ends with its
   * process.
   */
  lease(name: string, holder: string, progress: string, forMs: number): Promise<Lease>;

  /** Ends a lease of the holder at once. */
  release(name: string, holder: string): Promise<void>;

  /** @throws Unavailable without an answer, an Error when the directory was deleted or replaced. */
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
 * The error of a namespace that another process dropped, and perhaps filled again. It ends when the
 * checkpoint is asked for, because that may be lower than before.
 */
export class DroppedNamespaceError extends Unavailable {
  constructor(namespace: string) {
    super('read store', `${namespace}, or a part of it, was dropped`);
  }
}
