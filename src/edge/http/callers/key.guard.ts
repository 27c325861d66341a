import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { Refusal } from '../../../kernel/errors.js';
import { formOf, hashKeyString } from '../../../kernel/key-string.js';
import { requireBearerKey, KEY_FINDER, type KeyFinder } from './bearer-key.js';
import { whilePresent } from '../server/once-closed.js';
import { requireRole } from './roles.js';

/** The callers that a route admits. Without it: callers with a live management key. */
export const Admits = Reflector.createDecorator<'any-key' | undefined>();

/** Finds the caller's key string where a route does not take it from `Authorization: Bearer`. */
export const KeyStringFrom = Reflector.createDecorator<
  ((request: Request) => string | Promise<string>) | undefined
>();

/**
 * Marks a route that verifies keys (docs/api.md 12). The route changes nothing, so the limit of
 * writes does not count its requests. The caller's key may come from memory that is as old as a
 * verification allows.
 */
export const VerificationRoute = Reflector.createDecorator<true | undefined>();

/** Admits the callers of every route, and sets `request.caller`. */
@Injectable()
export class KeyGuard implements CanActivate {
  constructor(
    @Inject(KEY_FINDER) private readonly keys: KeyFinder,
    private readonly reflector: Reflector,
  ) {}

  /** @throws Refusal: 401 without a valid key, 403 for one not admitted (docs/api.md 1.2). */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const handler = context.getHandler();
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const keyString = await (this.reflector.get(KeyStringFrom, handler) ?? requireBearerKey)(
      request,
    );
    request.askedAt = performance.now();
    const form = formOf(keyString);
    if (form === 'broken') throw new Refusal('key-invalid');
    const keyHash = hashKeyString(keyString);
    const found = await this.keys.find(keyHash, {
      form,
      forVerification: this.reflector.get(VerificationRoute, handler) === true,
      address: request.ip,
      // No slot of an account bounds these look-ups: anyone may present keys that nobody has.
      whilePresent: whilePresent(http.getResponse<Response>()),
    });
    if (found) request.presented = found === 'revoked' ? { keyHash } : found.caller;
    if (!found || found === 'revoked') throw new Refusal('key-invalid');
    const { caller, refusal } = found;
    if (caller.keyKind === 'api' && this.reflector.get(Admits, handler) !== 'any-key') {
      throw new Refusal('not-a-management-key');
    }
    if (refusal) throw new Refusal(refusal);
    request.caller = caller;
    requireRole(caller, context, this.reflector);
    return true;
  }
}
