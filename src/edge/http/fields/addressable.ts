import { notFound } from '../../../kernel/errors.js';

/**
 * Returns an id of a path. Most clients resolve the segments `.` and `..` before they send a
 * request, so these segments name nothing. @throws Refusal for them.
 */
export function addressable(id: string): string {
  if (id === '.' || id === '..') throw notFound();
  return id;
}
