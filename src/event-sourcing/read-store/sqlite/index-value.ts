import type { CollectionDefinition } from '../read-store.js';

export type IndexValue = string | number | null;

/** Returns the fields that the indexes of a collection cover, each field once. */
export function indexedFields({ indexes }: CollectionDefinition): string[] {
  return [...new Set(Object.values(indexes).flat())];
}

/** Returns a string or a number as it is, 0 or 1 for a boolean, and null for anything else. */
export function indexValueOf(field: unknown): IndexValue {
  if (typeof field === 'boolean') return field ? 1 : 0;
  if (typeof field === 'string' || typeof field === 'number') return field;
  return null;
}
