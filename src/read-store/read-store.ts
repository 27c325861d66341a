import type { Position } from '../kernel/position.js';
import type { FixedWindows } from './fixed-windows.js';

/** A plain JSON object. */
export type Document = Readonly<Record<string, unknown>>;

export interface CollectionDefinition {
  /** Each index by name, as the document fields it covers in order; `find` uses no other way in. */
  readonly indexes: Readonly<Record<string, readonly string[]>>;

  /**
   * Indexed fields whose values many documents share, such as an account or an action. A store may keep each value once.
   * A range of their index gives them in `equals`, and has no bounds or order of them.
   */
  readonly shared?: readonly string[];

  /** The field, of no index, in which every document says its key. A store may keep that once. */
  readonly key?: string;
}

/** What a store must know of a read model to keep it. */
export interface ReadModelDefinition {
  readonly name: string;
  /** Raised whenever a fold, a document, what is `shared` or the field of the key changes; the read model is then folded again from the start. */
  readonly version: number;
  /**
   * The earliest version whose documents the fold and the queries of this one take as they are. What such a version
   * left serves on, and is folded on, until a generation of this version was filled beside it. Absent: none.
   */
  readonly continuesFrom?: number;
  readonly collections: Readonly<Record<string, CollectionDefinition>>;
}

/** A document as kept: with the position of the last event it reflects. */
export interface KeptDocument<Kept extends object = Document> {
  readonly document: Kept;
  readonly position: Position;
}

export interface ScannedDocument extends KeptDocument {
  readonly key: string;
}

export interface DocumentWrite {
  readonly collection: string;
  readonly key: string;
  /** Null removes it. */
  readonly document: Document | null;
  readonly position: Position;
  /** It is certain that the document was never written before. */
  readonly isNew: boolean;
}

/** An index range: fixed values for the first fields of the index, bounds (inclusive) for the next one. */
export interface Range {
  readonly index: string;
  readonly equals: Readonly<Record<string, string | number | boolean>>;
  /**
   * Different values for the field behind those that are fixed, any of which will do. The bounds are those of the field
   * behind it, and the order is that of the fields from there on. What it costs grows with their number, and not with that
   * of their documents.
   */
  readonly anyOf?: readonly string[];
  readonly from?: number | string;
  readonly to?: number | string;
  /** Index order is ascending unless this is true. */
  readonly descending?: boolean;
  /** Documents passed over first. Their number is what it costs. Default 0. */
  readonly skip?: number;
  readonly limit: number;
  /** Fields that whoever asks has no use for. A store may leave them out, as it may pay for each. */
  readonly unneeded?: readonly string[];
}

/** The first documents of a range. */
export interface Part<Kept extends object = Document> {
  readonly documents: Kept[];
  /** Whether the range has no more within its limit. */
  readonly isWhole: boolean;
}

/** What can be read of a read model. The caller names the type of the documents, which its projection writes. */
export interface ReadView {
  /** The position up to which the log has been folded in. */
  checkpoint(): Promise<Position>;

  get<Kept extends object = Document>(
    collection: string,
    key: string,
  ): Promise<KeptDocument<Kept> | undefined>;

  /** Those of the keys that exist. */
  getMany(collection: string, keys: readonly string[]): Promise<Map<string, KeptDocument>>;

  /** Documents in index order. */
  find<Kept extends object = Document>(collection: string, range: Range): Promise<Kept[]>;

  /**
   * As `find`, for documents that may be large: ends early, but not before the first document, once it has so many bytes.
   * A store counts bytes roughly, and small documents not at all.
   */
  findPart<Kept extends object = Document>(
    collection: string,
    range: Range,
    bytes: number,
  ): Promise<Part<Kept>>;

  /** Every document, page by page in an order of keys: those behind a key, which is '' at first. */
  scan(collection: string, after: string, limit: number): Promise<ScannedDocument[]>;
}

/**
 * One read model, in the generation that serves unless it was asked for another. Everything rejects with
 * `Unavailable` when the store is.
 */
export interface ReadModel extends ReadView {
  /** The number of its generation; a later one has a higher number. */
  readonly generation: number;

  /** The version that began its generation: that of its definition, or an earlier one which that continues. */
  readonly version: number;

  /**
   * Runs reads that all see one state. They may run again from their start, on a later state: when theirs changed too fast
   * to be kept, or when they find so many large documents that others come first. Where many write, they are refused with `Unavailable` when they
   * take more than 10 s.
   *
   * Nothing but reads of its view may be awaited in it, as a store may hold up writes and let single reads in meanwhile.
   * The command line alone compares in one, for as long as it folds (`fold-afresh.ts` in `projections`).
   */
  snapshot<Result>(read: (view: ReadView) => Promise<Result>): Promise<Result>;

  /**
   * Writes documents and moves the checkpoint, all or nothing.
   * @throws StaleCheckpointError when the checkpoint is no longer `from`: another process projected meanwhile.
   */
  write(writes: readonly DocumentWrite[], from: Position, to: Position): Promise<void>;

  /** Whether the processes that stay share it, so that one of them keeps it up to date for all. */
  readonly isShared: boolean;

  /**
   * Asks for the turn to keep it up to date, or keeps the turn: for some seconds nobody else gets it then. Turns
   * save work; `write` is safe without.
   */
  takeTurn(): Promise<boolean>;

  /** Lets another have the turn at once. */
  giveUpTurn(): Promise<void>;

  /**
   * Called when the log has been caught up with: does what was put off to make a replay fast, and drops the
   * generations that this one replaces, such as those of an earlier version.
   * @param signal ends it soon when it aborts; the rest is done when it is called again.
   */
  finishReplay(signal?: AbortSignal): Promise<void>;

  /** Whether another generation has come to serve in its place. */
  isSuperseded(): Promise<boolean>;

  /**
   * The generation that has come to serve in its place. Until it is told to serve here too, this read model stays
   * with its own, so that whoever keeps it up to date can bring the other as far first.
   */
  successor(): Promise<NextGeneration | undefined>;
}

/** A generation beside the one that serves. Once it serves or was discarded, `model` can be used no more. */
export interface NextGeneration {
  readonly model: ReadModel;

  /** Lets it serve; older generations of its version are dropped, but read on by whoever has them open. */
  serve(): Promise<void>;

  /** Gives it up. One that has never served anywhere is gone then. */
  discard(): Promise<void>;
}

export interface ReadStore {
  /** Counts for all processes that share the store; kept in it, so that each has one pool of connections. Absent: none do. */
  readonly windows?: FixedWindows;

  /**
   * The read model of a definition: in its version; else that of a version it continues, whose own it is no more; else
   * made, empty. One that is kept in collections or indexes of another shape is never continued.
   */
  readModel(definition: ReadModelDefinition): ReadModel;

  /**
   * Begins an empty generation beside the one that serves; nobody else reads or writes it. It goes when its process
   * ends without letting it serve: at the next `fill` or start, or soon after, and never while that process lives.
   */
  fill(definition: ReadModelDefinition): Promise<NextGeneration>;

  /** Whether a generation is being filled, by any process. */
  isFilling(definition: ReadModelDefinition): Promise<boolean>;

  /** Resolves when the store answers. @throws Unavailable */
  ping(): Promise<void>;

  /** Ends what it fills and gives its turns up. Whoever uses it is told to stop before. */
  close(): Promise<void>;
}

export const READ_STORE = Symbol('ReadStore');

export class StaleCheckpointError extends Error {
  override readonly name = 'StaleCheckpointError';

  constructor(readModel: string) {
    super(`the checkpoint of ${readModel} was moved by another process`);
  }
}
