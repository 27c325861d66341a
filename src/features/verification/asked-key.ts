import { formOf, hashKeyString } from '../../kernel/key-string.js';

/** The injection token for whether strings of another service may open API keys. */
export const FOREIGN_KEYS = Symbol('ForeignKeys');

/** What a verification asks about: a hash, or a string that opens no API key whatever its hash. */
export type AskedKey = { readonly hash: string } | 'malformed' | 'management-key';

/** Returns what a verification asks about by a string. The string itself goes no further. */
export function askedKey(presented: string, foreignKeys: boolean): AskedKey {
  const form = formOf(presented);
  if (form === 'management-key') return form;
  if (form === 'broken' || (form === 'foreign' && !foreignKeys)) return 'malformed';
  return { hash: hashKeyString(presented) };
}
