import { Buffer } from 'node:buffer';

export type Stored = Readonly<Record<string, unknown>>;
export type Filter = Readonly<Record<string, unknown>>;
/** The fields of an index or a sort, each with its direction: 1 or -1. */
export type Keys = Readonly<Record<string, number>>;

const BEYOND_THE_BMP = /[\ud800-\uffff]/;

/**
 * Compares values in the order of an index: none, numbers, strings, then booleans. Strings are
 * compared by bytes.
 */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'string' && typeof b === 'string') {
    if (BEYOND_THE_BMP.test(a) || BEYOND_THE_BMP.test(b)) {
      return Buffer.compare(Buffer.from(a), Buffer.from(b));
    }
    return a < b ? -1 : a > b ? 1 : 0;
  }
  const order = rankOf(a) - rankOf(b);
  return order === 0 ? Number(a) - Number(b) : order;
}

/** @throws for a value that the simulator cannot compare. */
function rankOf(value: unknown): number {
  if (value === null || value === undefined) return 0;
  if (typeof value === 'number') return 1;
  if (typeof value === 'string') return 2;
  if (typeof value === 'boolean') return 3;
  throw new Error(`the simulator compares no ${typeof value}`);
}

/** Compares documents by the fields of an index or a sort, in its directions. */
export function compareBy(keys: Keys, a: Stored, b: Stored): number {
  for (const [field, direction] of Object.entries(keys)) {
    const order = compare(a[field], b[field]) * direction;
    if (order !== 0) return order;
  }
  return 0;
}

/**
 * Whether a document matches a filter. @throws for an operator that the simulator does not know.
 */
export function matches(document: Stored, filter: Filter): boolean {
  return Object.entries(filter).every(([field, asked]) => {
    const value = document[field];
    if (!isOperators(asked)) return compare(value, asked) === 0;
    return Object.entries(asked).every(([operator, operand]) => holds(value, operator, operand));
  });
}

export function isOperators(asked: unknown): asked is Filter {
  return (
    typeof asked === 'object' && asked !== null && Object.keys(asked)[0]?.startsWith('$') === true
  );
}

function holds(value: unknown, operator: string, operand: unknown): boolean {
  if (operator === '$in') return (operand as unknown[]).some((one) => compare(value, one) === 0);
  // A bound matches values of its own type only.
  if (rankOf(value) !== rankOf(operand)) return false;
  const order = compare(value, operand);
  if (operator === '$gt') return order > 0;
  if (operator === '$gte') return order >= 0;
  if (operator === '$lt') return order < 0;
  if (operator === '$lte') return order <= 0;
  throw new Error(`the simulator does not know ${operator}`);
}
