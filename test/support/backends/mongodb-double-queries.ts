export type Stored = Readonly<Record<string, unknown>>;
type Filter = Readonly<Record<string, unknown>>;

/** Gives the value at a dotted path of a stored document; null if there is none. */
function valueAt(document: Stored, path: string): unknown {
  let value: unknown = document;
  for (const field of path.split('.')) {
    if (typeof value !== 'object' || value === null) return null;
    value = (value as Stored)[field];
  }
  return value ?? null;
}

/**
 * Compares values in the order of an index: none, numbers, then strings. Tests of the double use plain strings only.
 */
function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') {
    return a < b ? -1 : a > b ? 1 : 0;
  }
  return rankOf(a) - rankOf(b);
}

function rankOf(value: unknown): number {
  return value === null ? 0 : typeof value === 'number' ? 1 : 2;
}

/** Compares documents by the fields of an index or a sort, in its directions. */
export function compareBy(keys: Readonly<Record<string, number>>, a: Stored, b: Stored): number {
  for (const [path, direction] of Object.entries(keys)) {
    const order = compare(valueAt(a, path), valueAt(b, path)) * direction;
    if (order !== 0) return order;
  }
  return 0;
}

/** Whether a document matches a filter. @throws for an operator that the double does not know. */
export function matches(document: Stored, filter: Filter): boolean {
  return Object.entries(filter).every(([path, asked]) => {
    if (path === '$nor') return !(asked as Filter[]).some((one) => matches(document, one));
    const value = valueAt(document, path);
    if (!isOperators(asked)) return compare(value, asked) === 0;
    return Object.entries(asked).every(([operator, operand]) => holds(value, operator, operand));
  });
}

function isOperators(asked: unknown): asked is Filter {
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
  throw new Error(`the double does not know ${operator}`);
}

/** The part of a filter that asks for single values, which an index finds at once. */
export function equalitiesOf(filter: Filter): Filter {
  const single = Object.entries(filter).filter(
    ([path, asked]) => !path.startsWith('$') && !isOperators(asked),
  );
  return Object.fromEntries(single);
}
