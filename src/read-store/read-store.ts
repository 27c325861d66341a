import type { Position } from '../kernel/position.js';

/** A plain JSON object. */
export type Document = Readonly<Record<string, unknown>>;

export interface CollectionDefinition {
  /** Each index by name, as the document fields it covers in order; `find` uses no other way in. */
  readonly indexes: Readonly<Record<string, readonly string[]>>;
}

/** What a store must know of a read model to keep it. */
export interface ReadModelDefinition {
  readonly name: string;
  /** Raised whenever a fold or a document changes; the read model is then folded again from the start. */
  readonly version: number;
  /** In the order in which a batch writes them: dependants first, counters last. */
  readonly collections: Readonly<Record<string, CollectionDefinition>>;
}

/** A document as kept: with the position of the last event it reflects. */
export interface KeptDocument<Kept extends object = Document> {
  readonly document: Kept;
  readonly position: Position;
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
  readonly from?: number | string;
  readonly to?: number | string;
  /** Index order is ascending unless this is true. */
  readonly descending?: boolean;
  /** Documents passed over first. Their number is what it costs. Default 0. */
  readonly skip?: number;
  readonly limit: number;
}

/** What can be read of a read model. The caller names the type of the documents, which its projection writes. */
export interface ReadView {
  get<Kept extends object = Document>(
    collection: string,
    key: string,
  ): Promise<KeptDocument<Kept> | undefined>;

  /** Those of the keys that exist. */
  getMany(collection: string, keys: readonly string[]): Promise<Map<string, KeptDocument>>;

  /** Documents in index order. */
  find<Kept extends object = Document>(collection: string, range: Range): Promise<Kept[]>;
}

/** The serving generation of one read model. Everything rejects with `Unavailable` when the store is. */
export interface ReadModel extends ReadView {
  /** The position up to which the log has been folded in. */
  checkpoint(): Promise<Position>;

  /** Runs reads that all see one state, between two writes. `read` awaits nothing but reads of its view. */
  snapshot<Result>(read: (view: ReadView) => Promise<Result>): Promise<Result>;

  /**
   * Writes documents and moves the checkpoint, all or nothing.
   * @throws StaleCheckpointError when the checkpoint is no longer `from`: another process projected meanwhile.
   */
  write(writes: readonly DocumentWrite[], from: Position, to: Position): Promise<void>;

  /** Called when the log has been caught up with: does what was put off to make a replay fast. */
  finishReplay(): Promise<void>;
}

export interface ReadStore {
  /** The read model of a definition; made, empty, when the store has none in that version. */
  readModel(definition: ReadModelDefinition): ReadModel;

  /** Resolves when the store answers. @throws Unavailable */
  ping(): Promise<void>;

  close(): Promise<void>;
}

export const READ_STORE = Symbol('ReadStore');

export class StaleCheckpointError extends Error {
  override readonly name = 'StaleCheckpointError';

  constructor(readModel: string) {
    super(`the checkpoint of ${readModel} was moved by another process`);
  }
}
