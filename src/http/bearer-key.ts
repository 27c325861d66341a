import type { Request } from 'express';
import { Refusal } from '../kernel/errors.js';
import { hashKeyString, isBrokenKeyString } from '../key-strings/key-string.js';
import type { Caller } from './caller.js';

/** What a key string turned out to be. */
export type FoundKey =
  | { readonly kind: 'management'; readonly caller: Caller }
  | {
      readonly kind: 'api';
      readonly caller: Caller;
      /** Why the key is not live; null when it is. */
      readonly refusal: 'key-disabled' | 'key-expired' | null;
    };

/** How a key is looked for. */
export interface KeySearch {
  /** Whether a key that is not there yet is waited for, as it may have been created a moment ago. */
  readonly mayWait: boolean;
  /** Whether the answer may be as old as that of a verification (docs/api.md 12.3). Default false. */
  readonly forVerification?: boolean;
}

/** Looks a key up by its hash; null for one that does not exist, was revoked or deleted. */
export interface KeyFinder {
  find(hash: string, search: KeySearch): Promise<FoundKey | null>;
}

export const KEY_FINDER = Symbol('KeyFinder');

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

/**
 * The key that a request carries (docs/api.md 1.2). Looks at headers only; no body has been read yet.
 * @throws Refusal without a header of the right form and a key that exists.
 */
export async function bearerKey(
  request: Request,
  keys: KeyFinder,
  search: KeySearch,
): Promise<FoundKey> {
  const keyString = bearerKeyString(request);
  if (isBrokenKeyString(keyString)) throw new Refusal('key-invalid');
  const found = await keys.find(hashKeyString(keyString), search);
  if (!found) throw new Refusal('key-invalid');
  return found;
}

/** The key string in the headers of a request. @throws Refusal without one header of the right form. */
export function bearerKeyString({ headersDistinct }: Request): string {
  const [header = '', ...others] = headersDistinct.authorization ?? [];
  // Of several, whoever stands in between may have looked at another one.
  if (others.length > 0) throw new Refusal('authentication-malformed');
  if (header === '') throw new Refusal('authentication-missing');
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) throw new Refusal('authentication-malformed');
  return token;
}
