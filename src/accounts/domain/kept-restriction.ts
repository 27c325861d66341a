import { createHash } from 'node:crypto';
import { codePoints } from '../../kernel/text.js';

/** Code points of the longest restriction that a request may name. */
const LONGEST_WHOLE = 64;
const BEGINNING = 16;

/**
 * A restriction as the state of an account keeps it. A longer one than a request may name, stored by an earlier release,
 * is kept by its beginning and its SHA-256: that is all that a comparison needs, and a tenth of the memory. A shortened
 * text has 69 code points, so no text that is kept whole equals it.
 */
export function keptRestriction(restriction: string): string {
  if (!isLong(restriction)) return restriction;
  const beginning = Array.from(restriction.slice(0, 2 * BEGINNING)).slice(0, BEGINNING);
  const digest = createHash('sha256').update(restriction).digest('base64url');
  // Joined, as a slice would hold on to the whole text.
  return [...beginning, '...sha256:', digest].join('');
}

/** Whether some of these stand for a longer text. */
export function areShortened(kept: readonly string[]): boolean {
  return kept.some(isLong);
}

function isLong(text: string): boolean {
  return text.length > LONGEST_WHOLE && codePoints(text) > LONGEST_WHOLE;
}
