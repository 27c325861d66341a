/** What an index holds of a field. */
export type Value = string | number | null;

export type Fields = Readonly<Record<string, Value>>;

/** As the embedded store has it: of truth values 0 and 1, of everything else that is no value nothing. */
export function toValue(field: unknown): Value {
  if (typeof field === 'boolean') return field ? 1 : 0;
  if (typeof field === 'string' || typeof field === 'number') return field;
  return null;
}

/** The order of an index: nothing, numbers, then strings by their bytes. */
export function compareValues(a: Value, b: Value): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareKeys(a, b);
  return rankOf(a) - rankOf(b);
}

/** Bytes of UTF-8 are in the order of code points, which `<` is not. */
export function compareKeys(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function rankOf(value: Value): number {
  if (value === null) return 0;
  return typeof value === 'number' ? 1 : 2;
}
