import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Refusal } from '../kernel/errors.js';
import { bearerKey, KEY_FINDER, type KeyFinder } from './bearer-key.js';

/**
 * Lets requests with a live management key through and puts its caller on the request: 401 without a valid key,
 * 403 for an API key.
 */
@Injectable()
export class ManagementKeyGuard implements CanActivate {
  constructor(@Inject(KEY_FINDER) private readonly keys: KeyFinder) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const found = await bearerKey(request, this.keys);
    if (found.kind === 'api') throw new Refusal('not-a-management-key');
    request.caller = found.caller;
    return true;
  }
}
