import { codePoints, isCleanText, TEXT_MAX_LENGTH } from './text.js';

export const TRACKING_STRING_MAX_LENGTH = TEXT_MAX_LENGTH;

const SURROUNDING_SPACE = /^[\p{White_Space}\uFEFF]|[\p{White_Space}\uFEFF]$/u;

/**
 * Whether a value is a tracking string (docs/api.md 2.2): 1 to 512 code points, well-formed,
 * without NUL or surrounding white space. The service never normalizes or trims tracking strings.
 */
export function isTrackingString(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || !isCleanText(value)) return false;
  return codePoints(value) <= TRACKING_STRING_MAX_LENGTH && !SURROUNDING_SPACE.test(value);
}
