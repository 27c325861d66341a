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

/** The one row that a range query gives: JSON lists of the bodies, and of each column that the range leaves open. */
export type RangeRow = [bodies: string | null, ...columns: string[]];

export interface RangeQuery {
  readonly sql: string;
  readonly values: readonly IndexValue[];
  /** The columns of a `RangeRow`. */
  readonly open: readonly string[];
}

/** One row of lists costs about half of what a row for each document does. */
export function rangeQuery(source: RangeSource, range: Range): RangeQuery {
  const { fields } = source;
  const { equals, from, to, limit, skip = 0, descending = false, unneeded = [] } = range;
  const given = fields.slice(0, Object.keys(equals).length);
  const conditions = given.map((field) => `${quoted(field)} = ?`);
  const values = given.map((field) => indexValueOf(equals[field]));
  const next = quoted(fields[given.length] ?? '');
  if (from !== undefined) {
    conditions.push(`${next} >= ?`);
    values.push(from);
  }
  if (to !== undefined) {
    conditions.push(`${next} <= ?`);
    values.push(to);
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const direction = descending ? ' DESC' : '';
  const order = fields.map((field) => `${quoted(field)}${direction}`).join(', ');
  const passedOver = [...given, ...unneeded];
  const open = source.columns.filter((field) => !passedOver.includes(field));
  const columns = ['body', ...open.map(quoted)].join(', ');
  const lists = open.map((field) => `json_group_array(${quoted(field)})`);
  const sql =
    `SELECT ${["'[' || group_concat(body) || ']'", ...lists].join(', ')} FROM ` +
    // Left to choose, SQLite may take an index that lacks a fixed field, and look at every document in it.
    `(SELECT ${columns} FROM ${source.table} INDEXED BY ${source.index} ${where} ` +
    `ORDER BY ${order} ${UP_TO} OFFSET ?)`;
  return { sql, values: [...values, limit, skip], open };
}
