import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { AuthenticationFailures, TooManyFailures } from './authentication-failures.js';
import { bearerKey, type FoundKey, KEY_FINDER, type KeyFinder } from './bearer-key.js';

/** Finds the key of a request, for the guards. */
@Injectable()
export class Authenticator {
  constructor(
    @Inject(KEY_FINDER) private readonly keys: KeyFinder,
    @Inject(AuthenticationFailures) private readonly failures: AuthenticationFailures,
  ) {}

  /**
   * @param forVerification whether the key may come from memory as old as a verification allows (docs/api.md 12.3).
   * @throws Refusal unless the header is well-formed and the key exists (docs/api.md 1.2, 1.7).
   */
  async authenticate(request: Request, forVerification = false): Promise<FoundKey> {
    const { clientAddress: address = '' } = request;
    try {
      return await this.failures.watch(address, (mayWait) =>
        bearerKey(request, this.keys, { mayWait, forVerification, address }),
      );
    } catch (error) {
      if (error instanceof TooManyFailures) {
        request.res?.setHeader('Retry-After', error.retryAfterSeconds);
        request.isQuiet = !error.isLogged;
      }
      throw error;
    }
  }
}
