import type { Request } from 'express';
import { Refusal } from '../../../kernel/errors.js';
import type { WhilePresent } from '../../../event-sourcing/waiting/presence.js';
import type { StringForm } from '../../../kernel/key-string.js';
import type { Caller } from './caller.js';

export interface FoundKey {
  readonly caller: Caller;
  /** The reason why a key is not live; null for a live key. A management key is never disabled. */
  readonly refusal: 'key-rotated' | 'key-disabled' | 'key-expired' | null;
}

export interface KeySearch {
  /** The form of the string: it opens only keys of that form (docs/api.md 3.1). */
  readonly form: Exclude<StringForm, 'broken'>;
  /** The address of the client. Clients take turns with look-ups of keys that are not in memory. */
  readonly address?: string | undefined;
  /** Whether memory as old as a verification allows will do (docs/api.md 12.3). Default false. */
  readonly forVerification?: boolean;
  /** For a look-up that waits. Default: the client does not leave. */
  readonly whilePresent?: WhilePresent;
}

export interface KeyFinder {
  /**
   * Looks a key up by the hash of a string.
   * @returns `revoked` for a revoked management key; null for a key that is deleted or unknown.
   */
  find(hash: string, search: KeySearch): Promise<FoundKey | 'revoked' | null>;
}

export const KEY_FINDER = Symbol('KeyFinder');

const BEARER = /^Bearer +(.+)$/i;
const ONE_WORD = /^[\x21-\x7e]+$/;

/** Returns the token of a header `Bearer <token>`; undefined for another form. */
export function bearerToken(header = ''): string | undefined {
  return BEARER.exec(header)?.[1];
}

/** Returns the key string of the Authorization header. @throws Refusal unless it is well-formed. */
export function requireBearerKey({ headersDistinct }: Request): string {
  const [header = '', ...others] = headersDistinct.authorization ?? [];
  // A proxy in front may have checked one of these headers, and the service another.
  if (others.length > 0) throw new Refusal('authentication-malformed');
  if (header === '') throw new Refusal('authentication-missing');
  const token = bearerToken(header);
  if (token === undefined || !ONE_WORD.test(token)) throw new Refusal('authentication-malformed');
  return token;
}
