import { SQL_LIMIT } from '../../sqlite/sql-limit.js';
import type { Range } from '../read-store.js';

export type IndexValue = string | number | null;

/** The names of a table and of its index, quoted for SQL, and the fields of the index in order. */
export interface Source {
  readonly table: string;
  readonly index: string;
  readonly fields: readonly string[];
}

/** The bounds of a range in SQL. */
const BOUNDS = { from: '>=', to: '<=', after: '>', before: '<' } as const;

/**
 * Returns the query for an index range.
 * @param selected the columns of each row of the result, in SQL.
 */
export function rangeQuery({ table, index, fields }: Source, range: Range, selected: string) {
  const { equals, anyOf, limit, skip = 0, descending = false } = range;
  const fixed = fields.slice(0, Object.keys(equals).length + (anyOf ? 1 : 0));
  const next = fields[fixed.length];
  const bounded = quoted(next ?? '');
  const bounds = Object.entries(BOUNDS).flatMap(([name, comparison]) => {
    const bound = range[name as keyof typeof BOUNDS];
    return bound === undefined ? [] : [[bound, comparison] as const];
  });
  const conditions = [
    ...fixed.map((field) => `${quoted(field)} = ?`),
    ...bounds.map(([, comparison]) => `${bounded} ${comparison} ?`),
  ];
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  const orderedBy = fields.slice(fixed.length).map(quoted);
  const order = orderedBy.map((field) => `${field}${descending ? ' DESC' : ''}`).join(', ');
  const ordered = order === '' ? '' : ` ORDER BY ${order}`;
  // Without INDEXED BY, SQLite may choose another index and look at every document in it.
  const part = (columns: string): string =>
    `SELECT ${columns} FROM ${table} INDEXED BY ${index}${where}`;
  const values = fixed.slice(0, Object.keys(equals).length).map((field) => equals[field]);
  const valuesOf = (...listed: IndexValue[]): IndexValue[] => [
    ...values.map(indexValueOf),
    ...listed,
    ...bounds.map(([bound]) => bound),
  ];
  if (!anyOf) {
    return {
      sql: `${part(selected)}${ordered} ${SQL_LIMIT} OFFSET ?`,
      values: [...valuesOf(), limit, skip],
    };
  }
  // Each part is in order, so SQLite merges the parts as it reads, and reads none to its end.
  const parts = paddedWithNulls(anyOf).map((value) => valuesOf(value));
  const merged = parts.map(() => part(['rowid AS row', ...orderedBy].join(', ')));
  const sql =
    `SELECT ${selected} FROM (${merged.join(' UNION ALL ')}${ordered} ${SQL_LIMIT} OFFSET ?) ` +
    `CROSS JOIN ${table} ON ${table}.rowid = row`;
  return { sql, values: [...parts.flat(), limit, skip] };
}

/** Returns a string or a number as it is, 0 or 1 for a boolean, and null for anything else. */
export function indexValueOf(field: unknown): IndexValue {
  if (typeof field === 'boolean') return field ? 1 : 0;
  if (typeof field === 'string' || typeof field === 'number') return field;
  return null;
}

/** Adds nulls, which equal nothing, up to a power of two, so that few statements are kept. */
function paddedWithNulls(values: readonly (string | boolean)[]): IndexValue[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return [...values.map(indexValueOf), ...Array<null>(length - values.length).fill(null)];
}

/** Quotes a name for SQL. It must have no quotation mark, as no name of the service has one. */
export function quoted(name: string): string {
  return `"${name}"`;
}
