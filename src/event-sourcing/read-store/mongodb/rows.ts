import type { Collection, Filter, IndexDescription } from 'mongodb';
import type { Position } from '../../../kernel/position.js';
import { type IndexValue, indexedFields, indexValueOf } from '../index-value.js';
import type { CollectionDefinition, Document } from '../read-store.js';
import type { NamespaceRecord } from './namespace-record.js';

/** The value of the field `to` in a current row. The value is greater than every position. */
export const CURRENT = '\uffff';

/** A character that sorts before every character of a key, so that rows by `_id` are in the order of their keys. */
const SEPARATOR = '\u0001';

/** The name of the index that finds the versions of one document, newest first. */
export const BY_KEY = 'by key and from';

/** One version of a document. Readers see it at checkpoints from `from` on and before `to`. */
export interface Row {
  /** The key, `from` and the term, so that no two batches write the same id. */
  readonly _id: string;
  readonly key: string;
  readonly from: Position;
  readonly to: Position;
  readonly term: number;
  /** The document as JSON text, which preserves every name, number and order. */
  readonly body: string;
  /** The index values of the document, by field. */
  readonly fields: Readonly<Record<string, IndexValue>>;
}

export interface OpenCollection {
  readonly definition: CollectionDefinition;
  readonly rows: Collection<Row>;
}

/** @throws when the document cannot be written as JSON. */
export function rowOf(
  key: string,
  document: Document,
  from: Position,
  term: number,
  definition: CollectionDefinition,
): Row {
  const _id = [key, from, term].join(SEPARATOR);
  const fields: Record<string, IndexValue> = {};
  for (const field of indexedFields(definition)) fields[field] = indexValueOf(document[field]);
  return { _id, key, from, to: CURRENT, term, body: JSON.stringify(document), fields };
}

/** Returns a filter for the rows that begin at or before the checkpoint of a record, and are not void. */
export function begunAt({ checkpoint, cuts }: NamespaceRecord): Filter<Row> {
  const begun: Filter<Row> = { from: { $lte: checkpoint } };
  if (cuts.length === 0) return begun;
  const voids = cuts.map(({ firstTerm, lastTerm, upTo }) => ({
    term: { $gte: firstTerm, $lte: lastTerm },
    from: { $gt: upTo },
  }));
  return { ...begun, $nor: voids };
}

/** Returns a filter for the rows at the checkpoint of a namespace. It finds one version of each document. */
export function visibleAt(record: NamespaceRecord): Filter<Row> {
  return { ...begunAt(record), to: { $gt: record.checkpoint } };
}

/**
 * Returns the indexes of a collection. An index for reads has no field that changes in a row, because a changed entry
 * could move past a scan unseen. Each read names its index, because the index for sweeping has `to`, which changes.
 */
export function indexesOf({ indexes }: CollectionDefinition): IndexDescription[] {
  return [
    { key: { key: 1, from: -1 }, name: BY_KEY },
    { key: { to: 1, from: 1 }, name: 'by to and from' },
    ...Object.entries(indexes).map(([name, fields]) => ({
      key: Object.fromEntries([...fields.map(path), '_id'].map((field) => [field, 1])),
      name,
    })),
  ];
}

/** Returns the path to an indexed field in a row. */
export function path(field: string): string {
  return `fields.${field}`;
}
