import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Refusal } from '../kernel/errors.js';
import { hashKeyString, isBrokenKeyString } from '../key-strings/key-string.js';
import type { Caller } from './caller.js';

/** What a key string turned out to be. */
export type FoundKey =
  { readonly kind: 'management'; readonly caller: Caller } | { readonly kind: 'api' };

/** Looks a key up by its hash; null for one that does not exist or was revoked. */
export interface KeyFinder {
  find(hash: string): Promise<FoundKey | null>;
}

export const KEY_FINDER = Symbol('KeyFinder');

const BEARER = /^Bearer +([\x21-\x7e]+)$/i;

/**
 * Lets requests with a live management key through and puts its caller on the request (docs/api.md 1.2):
 * 401 without a valid key, 403 for an API key. Looks at headers only; no body has been read yet.
 */
@Injectable()
export class ManagementKeyGuard implements CanActivate {
  constructor(@Inject(KEY_FINDER) private readonly keys: KeyFinder) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const keyString = bearerToken(request.headers.authorization);
    if (isBrokenKeyString(keyString)) throw new Refusal('key-invalid');
    const found = await this.keys.find(hashKeyString(keyString));
    if (!found) throw new Refusal('key-invalid');
    if (found.kind === 'api') throw new Refusal('not-a-management-key');
    request.caller = found.caller;
    return true;
  }
}

function bearerToken(header: string | undefined): string {
  if (header === undefined || header === '') throw new Refusal('authentication-missing');
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) throw new Refusal('authentication-malformed');
  return token;
}
