import type { Collection, Filter, IndexDescription } from 'mongodb';
import type { Position } from '../../kernel/position.js';
import { type IndexValue, indexedFields, indexValueOf } from '../index-value.js';
import type { CollectionDefinition, Document } from '../read-store.js';
import type { NamespaceRecord } from './namespace-record.js';

/** Where a row ends that is current: after every position. */
export const CURRENT = '\uffff';

/** Sorts before every character of a key, so that rows by `_id` are in the order of their keys. */
const SEPARATOR = '\u0001';

/** The index that leads to one document, newest version first. */
export const BY_KEY = 'by key and from';

/** One version of a document. It is seen at the checkpoints from `from` until before `to`. */
export interface Row {
  /** The key, `from` and the term: no two batches write the same one. */
  readonly _id: string;
  readonly key: string;
  readonly from: Position;
  readonly to: Position;
  readonly term: number;
  /** JSON, which keeps every name, number and order as it was given. */
  readonly body: string;
  /** The fields that have an index, as the document says them. */
  readonly fields: Readonly<Record<string, IndexValue>>;
}

export interface OpenCollection {
  readonly definition: CollectionDefinition;
  readonly rows: Collection<Row>;
}

/** @throws when the document cannot be said in JSON. */
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

/** Finds the rows that had begun at the checkpoint of a record, and are not void. */
export function begunAt({ checkpoint, cuts }: NamespaceRecord): Filter<Row> {
  const begun: Filter<Row> = { from: { $lte: checkpoint } };
  if (cuts.length === 0) return begun;
  const voids = cuts.map(({ firstTerm, lastTerm, upTo }) => ({
    term: { $gte: firstTerm, $lte: lastTerm },
    from: { $gt: upTo },
  }));
  return { ...begun, $nor: voids };
}

/** Finds the rows that are seen at the checkpoint of a record: one for each document. */
export function visibleAt(record: NamespaceRecord): Filter<Row> {
  return { ...begunAt(record), to: { $gt: record.checkpoint } };
}

/**
 * The indexes of a collection. An index that a read uses holds nothing that changes in a row, or an entry could move past
 * a scan unseen. The one for sweeping holds `to`; so each read names its index.
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

/** Where a row holds a field that has an index. */
export function path(field: string): string {
  return `fields.${field}`;
}
