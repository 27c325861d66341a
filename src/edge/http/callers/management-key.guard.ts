import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Refusal } from '../../../kernel/errors.js';
import { Authenticator } from './authenticator.js';
import { bearerKeyString } from './bearer-key.js';
import { isVerificationRoute } from '../requests/verification-route.js';

/**
 * Admits requests with a live management key, and sets the caller of the request. Throws a Refusal otherwise: 401
 * without a valid key, 403 for an API key.
 */
@Injectable()
export class ManagementKeyGuard implements CanActivate {
  constructor(private readonly authenticator: Authenticator) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const key = await this.keyString(request);
    request.askedAt = performance.now();
    const found = await this.authenticator.authenticate(request, key, isVerificationRoute(context));
    if (found.kind === 'api') throw new Refusal('not-a-management-key');
    request.caller = found.caller;
    return true;
  }

  /** Returns the key string of the caller. @throws Refusal without a well-formed key. */
  protected keyString(request: Request): string | Promise<string> {
    return bearerKeyString(request);
  }
}
