import { UP_TO } from '../../sqlite/limit.js';
import { type IndexValue, indexValueOf } from '../index-value.js';
import type { Range } from '../read-store.js';
import { quoted } from './quoted.js';

/** Where a range is looked for. */
export interface RangeSource {
  readonly table: string;
  readonly index: string;
  /** The fields of the index in order. */
  readonly fields: readonly string[];
  /** All fields that are columns of the table. */
  readonly columns: readonly string[];
}

/**
 * Bytes of a body that is left out of the list of bodies, and read by itself: so a list is never large, and the body of
 * a document that is not wanted in the end is not read at all.
 */
const LARGE = 4_096;

/**
 * The one row that a range query gives: JSON lists of the bodies, with the number of the row for a large one, and of each
 * column that the range leaves open.
 */
export type RangeRow = [bodies: string | null, ...columns: string[]];

export interface RangeQuery {
  readonly sql: string;
  readonly values: readonly IndexValue[];
  /** The columns of a `RangeRow`. */
  readonly open: readonly string[];
}

const BODY = `CASE WHEN octet_length(body) > ${LARGE} THEN rowid ELSE body END AS body`;

/** What a range asks of the columns: some fixed values, and any of several for the one behind them. */
export type ColumnRange = Omit<Range, 'anyOf'> & { readonly anyOf?: readonly IndexValue[] };

/** One row of lists costs about half of what a row for each document does. */
export function rangeQuery(source: RangeSource, range: ColumnRange): RangeQuery {
  const { fields } = source;
  const { equals, anyOf, from, to, limit, skip = 0, descending = false, unneeded = [] } = range;
  const given = fields.slice(0, Object.keys(equals).length);
  const fixed = anyOf ? fields.slice(0, given.length + 1) : given;
  const next = quoted(fields[fixed.length] ?? '');
  const conditions = [
    ...fixed.map((field) => `${quoted(field)} = ?`),
    ...(from === undefined ? [] : [`${next} >= ?`]),
    ...(to === undefined ? [] : [`${next} <= ?`]),
  ];
  const direction = descending ? ' DESC' : '';
  const ordered = anyOf ? fields.slice(fixed.length) : fields;
  const order = ordered.map((field) => `${quoted(field)}${direction}`).join(', ');
  const open = source.columns.filter((field) => ![...given, ...unneeded].includes(field));
  const columns = anyOf ? [...new Set([...open, ...ordered])] : open;
  const lists = open.map((field) => `json_group_array(${quoted(field)})`);
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  const part =
    // Left to choose, SQLite may take an index that lacks a fixed field, and look at every document in it.
    `SELECT ${[BODY, ...columns.map(quoted)].join(', ')} FROM ${source.table} INDEXED BY ${source.index}${where}`;
  const bounds = [from, to].filter((bound) => bound !== undefined);
  const valuesOf = (...listed: IndexValue[]): IndexValue[] => [
    ...given.map((field) => indexValueOf(equals[field])),
    ...listed,
    ...bounds,
  ];
  const parts = anyOf ? padded(anyOf).map((value) => valuesOf(value)) : [valuesOf()];
  const sql =
    `SELECT ${["'[' || group_concat(body) || ']'", ...lists].join(', ')} FROM ` +
    // Parts that each are in order are merged as they are read, and not read to their ends.
    `(${parts.map(() => part).join(' UNION ALL ')} ORDER BY ${order} ${UP_TO} OFFSET ?)`;
  return { sql, values: [...parts.flat(), limit, skip], open };
}

/** With null, which nothing equals, up to the next power of two: so there are few statements, which are kept. */
function padded(values: readonly IndexValue[]): IndexValue[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return [...values, ...Array<null>(length - values.length).fill(null)];
}
