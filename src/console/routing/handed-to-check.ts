import { shared } from '../api/shared.js';
import { go } from './place.js';

/**
 * The beginning of a key of this service, also after other text, such as `Bearer sk-v1-…`. The id
 * `risk-v1-eu` has none.
 */
const LIKE_A_KEY = /\b[sm]k-v1-|[sm]k-v1-[0-9a-f]{8}/i;

/** A text for the page that checks keys, until that takes it. No address or storage has it. */
export const handedToCheck = shared('');

/**
 * Leads a text that is like a key string to the page that checks one, since no address may hold it.
 * @param mayCheck whether the role has that page. Without it the text is forgotten.
 * @returns whether the text is such one.
 */
export function leadToCheck(text: string, mayCheck: boolean): boolean {
  if (!LIKE_A_KEY.test(text)) return false;
  if (mayCheck) handedToCheck.set(text);
  go('/check');
  return true;
}
