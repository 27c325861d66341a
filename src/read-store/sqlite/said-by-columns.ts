import type { IndexValue } from '../index-value.js';

/** Adds a field that only its column says. */
export function complete(
  document: Record<string, unknown>,
  field: string,
  value: IndexValue,
): void {
  if (value !== null && !(field in document)) document[field] = value;
}

/** Whether a column gives back what a field says; it does not keep truth apart from 1. */
export function isWhole(field: unknown): field is string | number {
  return typeof field === 'string' || typeof field === 'number';
}
