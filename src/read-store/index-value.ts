import type { CollectionDefinition } from './read-store.js';

/** What an index holds of a field. */
export type IndexValue = string | number | null;

/** The fields of a collection that any index of it has, once each. */
export function indexedFields({ indexes }: CollectionDefinition): string[] {
  return [...new Set(Object.values(indexes).flat())];
}

/** Of truth values 0 and 1, of everything else that is no text or number nothing. */
export function indexValueOf(field: unknown): IndexValue {
  if (typeof field === 'boolean') return field ? 1 : 0;
  if (typeof field === 'string' || typeof field === 'number') return field;
  return null;
}

/** A document as its indexes have it: a field of which they say something else is given as they say. */
export function asIndexed(
  document: Readonly<Record<string, unknown>>,
  indexed: Readonly<Record<string, IndexValue>>,
): Record<string, unknown> {
  const differing = Object.entries(indexed).filter(
    ([field, value]) => value !== indexValueOf(document[field]),
  );
  return { ...document, ...Object.fromEntries(differing) };
}
