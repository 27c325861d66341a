import { createHash } from 'node:crypto';
import { codePoints } from '../../kernel/text.js';

/** The maximum length of a restriction in a request, in code points. */
export const RESTRICTION_MAX_LENGTH = 64;
const BEGINNING = 16;

/**
 * Returns a restriction in the form in which the state of an account has it. An earlier release stored restrictions that
 * are too long for a request today. The state has only their beginning and their SHA-256, which is enough to compare them
 * and takes a tenth of the memory. A shortened restriction has 69 code points, so it never equals a restriction that is
 * not shortened.
 */
export function keptRestriction(restriction: string): string {
  if (!isLong(restriction)) return restriction;
  const beginning = Array.from(restriction.slice(0, 2 * BEGINNING)).slice(0, BEGINNING);
  const digest = createHash('sha256').update(restriction).digest('base64url');
  // A slice would keep the whole string in memory; a joined string does not.
  return [...beginning, '...sha256:', digest].join('');
}

/** Whether at least one of the restrictions in a state is shortened. */
export function areShortened(kept: readonly string[]): boolean {
  return kept.some(isLong);
}

function isLong(text: string): boolean {
  return text.length > RESTRICTION_MAX_LENGTH && codePoints(text) > RESTRICTION_MAX_LENGTH;
}
