import { go } from './place.js';

/** The beginning of a key of this service, also inside other text, such as `Bearer sk-v1-…`. */
const LIKE_A_KEY = /[sm]k-v1-/i;

let handed = '';
let receive: ((text: string) => void) | undefined;

/**
 * Leads a text that is like a key string to the page that checks one, since no address may hold
 * it. It is in no storage either.
 * @param mayCheck whether the role has that page. Without it the text is forgotten.
 * @returns whether the text is such one.
 */
export function leadToCheck(text: string, mayCheck: boolean): boolean {
  if (!LIKE_A_KEY.test(text)) return false;
  if (mayCheck) hand(text);
  go('/check');
  return true;
}

function hand(text: string): void {
  if (receive) receive(text);
  else handed = text;
}

/** Calls back with what was or will be handed over, until the returned function is called. */
export function receiveHanded(listener: (text: string) => void): () => void {
  receive = listener;
  if (handed !== '') listener(handed);
  handed = '';
  return () => {
    receive = undefined;
  };
}
