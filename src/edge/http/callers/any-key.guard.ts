import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Refusal } from '../../../kernel/errors.js';
import { Authenticator } from './authenticator.js';
import { bearerKeyString } from './bearer-key.js';

/** Admits requests with a live management key or API key, and sets `request.caller`. Otherwise throws a Refusal. */
@Injectable()
export class AnyKeyGuard implements CanActivate {
  constructor(private readonly authenticator: Authenticator) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const found = await this.authenticator.authenticate(request, bearerKeyString(request));
    if (found.kind === 'api' && found.refusal) throw new Refusal(found.refusal);
    request.caller = found.caller;
    return true;
  }
}
