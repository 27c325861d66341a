import type { Request } from 'express';
import { Refusal } from '../kernel/errors.js';
import { hashKeyString, isBrokenKeyString } from '../key-strings/key-string.js';
import type { Caller } from './caller.js';

/** The key that a key string belongs to. */
export type FoundKey =
  | { readonly kind: 'management'; readonly caller: Caller }
  | {
      readonly kind: 'api';
      readonly caller: Caller;
      /** Why the key is not live; null when it is. */
      readonly refusal: 'key-disabled' | 'key-expired' | null;
    };

/** How a key is looked up. */
export interface KeySearch {
  /** Whether the look-up waits for the read model, as the key may be new. */
  readonly mayWait: boolean;
  /** The address of the request. Look-ups that memory does not answer take turns between networks. */
  readonly address?: string | undefined;
  /** Whether the answer may be as old as that of a verification (docs/api.md 12.3). Default false. */
  readonly forVerification?: boolean;
}

export interface KeyFinder {
  /**
   * Looks a key up by its hash.
   * @returns null when the key does not exist, or was revoked or deleted.
   */
  find(hash: string, search: KeySearch): Promise<FoundKey | null>;
}

export const KEY_FINDER = Symbol('KeyFinder');

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

/**
 * Finds the key that a request carries (docs/api.md 1.2). It reads headers only, so no body is read for a wrong key.
 * @throws Refusal without a well-formed header and an existing key.
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

/** Gives the key string in the headers of a request. @throws Refusal unless there is one well-formed header. */
export function bearerKeyString({ headersDistinct }: Request): string {
  const [header = '', ...others] = headersDistinct.authorization ?? [];
  // A proxy may have checked another one of several headers.
  if (others.length > 0) throw new Refusal('authentication-malformed');
  if (header === '') throw new Refusal('authentication-missing');
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) throw new Refusal('authentication-malformed');
  return token;
}
