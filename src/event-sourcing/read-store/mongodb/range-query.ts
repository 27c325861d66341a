import type { Filter, FindOptions, Sort } from 'mongodb';
import { indexValueOf } from '../index-value.js';
import type { CollectionDefinition, Range } from '../read-store.js';
import { path, type Row } from './rows.js';

/** The most rows in one answer of the server, when the range has no bound in bytes. */
const ROWS_IN_AN_ANSWER = 1_000;
/** The most rows in one answer when the range has a bound in bytes. No more rows than this are fetched in vain. */
const ROWS_WITH_A_BOUND = 50;

export interface RangeQuery {
  readonly filter: Filter<Row>;
  readonly options: FindOptions;
}

/** Returns the query for a range of an index. @throws when the collection has no such index. */
export function rangeQuery(
  collection: string,
  { indexes }: CollectionDefinition,
  { index, equals, anyOf, from, to, descending = false, skip = 0, limit, bytes }: Range,
): RangeQuery {
  const fields = indexes[index];
  if (!fields) throw new Error(`${collection} has no index ${index}`);
  const fixed = fields.slice(0, Object.keys(equals).length);
  const listed = anyOf ? fields[fixed.length] : undefined;
  const behind = fields.slice(fixed.length + (anyOf ? 1 : 0));
  const [bounded] = from === undefined && to === undefined ? [] : behind;
  const bounds = {
    ...(from !== undefined && { $gte: from }),
    ...(to !== undefined && { $lte: to }),
  };
  const ordered = [...(anyOf ? behind : fields).map(path), '_id'];
  const sort: Sort = Object.fromEntries(ordered.map((name) => [name, descending ? -1 : 1]));
  return {
    filter: {
      ...Object.fromEntries(fixed.map((field) => [path(field), indexValueOf(equals[field])])),
      ...(listed !== undefined && { [path(listed)]: { $in: (anyOf ?? []).map(indexValueOf) } }),
      ...(bounded !== undefined && { [path(bounded)]: bounds }),
    },
    options: {
      hint: index,
      sort,
      skip,
      limit,
      batchSize: Math.min(limit, bytes === undefined ? ROWS_IN_AN_ANSWER : ROWS_WITH_A_BOUND),
    },
  };
}
