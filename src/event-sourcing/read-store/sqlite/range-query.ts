import { SQL_LIMIT } from '../../sqlite/sql-limit.js';
import type { IndexPart, Range } from '../read-store.js';

export type IndexValue = string | number | null;

/** The names of a table and of its index, quoted for SQL, and the fields of the index in order. */
export interface Source {
  readonly table: string;
  readonly index: string;
  readonly fields: readonly string[];
  /** Returns what the column of a field has where the field has a value. */
  readonly valueIn: (field: string, value: unknown) => IndexValue;
}

/** The bounds of a range in SQL. */
const BOUNDS = { from: '>=', to: '<=', after: '>', before: '<' } as const;

interface Query {
  readonly sql: string;
  readonly values: IndexValue[];
}

/** Returns the fields of an index that have fixed values, the others, and all bounds in SQL. */
function splitIndex({ fields, valueIn }: Source, part: IndexPart) {
  const fixed = fields.slice(0, Object.keys(part.equals).length + (part.anyOf ? 1 : 0));
  const ordered = fields.slice(fixed.length);
  const bounds = Object.entries(BOUNDS).flatMap(([name, comparison]) => {
    const bound = part[name as keyof typeof BOUNDS];
    return bound === undefined ? [] : [{ bound, condition: `${comparison} ?` }];
  });
  const bounded = quoted(ordered[0] ?? '');
  const conditions = [
    ...fixed.map((field) => `${quoted(field)} = ?`),
    ...bounds.map(({ condition }) => `${bounded} ${condition}`),
  ];
  const equal = fixed.slice(0, Object.keys(part.equals).length);
  const valuesOf = (...listed: IndexValue[]): IndexValue[] => [
    ...equal.map((field) => valueIn(field, part.equals[field])),
    ...listed,
    ...bounds.map(({ bound }) => bound),
  ];
  return { fixed, ordered: ordered.map(quoted), conditions, valuesOf };
}

/** Returns the rows of an index in SQL. Without INDEXED BY, SQLite may read another index whole. */
function rowsOf({ table, index }: Source, columns: string, conditions: readonly string[]): string {
  const where = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  return `SELECT ${columns} FROM ${table} INDEXED BY ${index}${where}`;
}

/**
 * Returns the query for an index range.
 * @param selected the columns of each row of the result, in SQL.
 */
export function rangeQuery(source: Source, range: Range, selected: string): Query {
  const { anyOf, limit, skip = 0, descending = false } = range;
  const { fixed, ordered, conditions, valuesOf } = splitIndex(source, range);
  const order = ordered.map((field) => `${field}${descending ? ' DESC' : ''}`).join(', ');
  const inOrder = order === '' ? '' : ` ORDER BY ${order}`;
  if (!anyOf) {
    return {
      sql: `${rowsOf(source, selected, conditions)}${inOrder} ${SQL_LIMIT} OFFSET ?`,
      values: [...valuesOf(), limit, skip],
    };
  }
  // Each part is in order, so SQLite merges the parts as it reads, and reads none to its end.
  const listed = anyOf.map((value) => source.valueIn(fixed.at(-1) ?? '', value));
  const parts = paddedWithNulls(listed).map((value) => valuesOf(value));
  const columns = ['rowid AS row', ...ordered].join(', ');
  const merged = parts.map(() => rowsOf(source, columns, conditions));
  const sql =
    `SELECT ${selected} FROM (${merged.join(' UNION ALL ')}${inOrder} ${SQL_LIMIT} OFFSET ?) ` +
    `CROSS JOIN ${source.table} ON ${source.table}.rowid = row`;
  return { sql, values: [...parts.flat(), limit, skip] };
}

/**
 * Returns two queries for the entries of an index part after one of them: the first counts them,
 * the second finds the entry that is a number of entries further on.
 * @param part has no `anyOf`.
 * @param after an entry that the second query found. It must have no null, which equals nothing.
 */
export function countQueries(
  source: Source,
  part: IndexPart,
  after: readonly IndexValue[] | undefined,
  further: number,
): { readonly count: Query; readonly next: Query } {
  const { ordered, conditions, valuesOf } = splitIndex(source, part);
  const entry = [...ordered, 'rowid'].join(', ');
  const behind = after ? [`(${entry}) > (${after.map(() => '?').join(', ')})`] : [];
  const values = [...valuesOf(), ...(after ?? [])];
  const all = [...conditions, ...behind];
  return {
    count: { sql: rowsOf(source, 'count(*)', all), values },
    next: {
      sql: `${rowsOf(source, entry, all)} ORDER BY ${entry} ${SQL_LIMIT} OFFSET ?`,
      values: [...values, 1, further - 1],
    },
  };
}

/** Returns a string or a number as it is, 0 or 1 for a boolean, and null for anything else. */
export function indexValueOf(field: unknown): IndexValue {
  if (typeof field === 'boolean') return field ? 1 : 0;
  if (typeof field === 'string' || typeof field === 'number') return field;
  return null;
}

/** Adds nulls, which equal nothing, up to a power of two, so that few statements are kept. */
function paddedWithNulls(values: readonly IndexValue[]): IndexValue[] {
  const length = 2 ** Math.ceil(Math.log2(values.length));
  return [...values, ...Array<null>(length - values.length).fill(null)];
}

/** Quotes a name for SQL. It must have no quotation mark, as no name of the service has one. */
export function quoted(name: string): string {
  return `"${name}"`;
}
