import { compareBytes } from '../../kernel/text.js';
import type { IndexValue } from '../index-value.js';

export type Fields = Readonly<Record<string, IndexValue>>;

/** The order of an index: nothing, numbers, then strings by their bytes. */
export function compareValues(a: IndexValue, b: IndexValue): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b);
  return rankOf(a) - rankOf(b);
}

function rankOf(value: IndexValue): number {
  if (value === null) return 0;
  return typeof value === 'number' ? 1 : 2;
}
