import { createHash } from 'node:crypto';
import { codePoints } from '../../kernel/text.js';

/** Code points of the longest restriction that a request may name. */
export const RESTRICTION_MAX_LENGTH = 64;
const BEGINNING = 16;

/**
 * The form of a restriction in the state of an account. An earlier release stored longer ones than a request may name.
 * The state keeps the beginning and the SHA-256 of those: enough for a comparison, in a tenth of the memory. A shortened
 * text has 69 code points, so it never equals a whole one.
 */
export function keptRestriction(restriction: string): string {
  if (!isLong(restriction)) return restriction;
  const beginning = Array.from(restriction.slice(0, 2 * BEGINNING)).slice(0, BEGINNING);
  const digest = createHash('sha256').update(restriction).digest('base64url');
  // A slice would hold on to the whole text; a joined text does not.
  return [...beginning, '...sha256:', digest].join('');
}

/** Whether some restrictions of a state are shortened. */
export function areShortened(kept: readonly string[]): boolean {
  return kept.some(isLong);
}

function isLong(text: string): boolean {
  return text.length > RESTRICTION_MAX_LENGTH && codePoints(text) > RESTRICTION_MAX_LENGTH;
}
