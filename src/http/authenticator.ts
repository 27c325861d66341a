import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { bearerKey, type FoundKey, KEY_FINDER, type KeyFinder } from './bearer-key.js';

/** Finds the key of a request, for the guards. */
@Injectable()
export class Authenticator {
  constructor(@Inject(KEY_FINDER) private readonly keys: KeyFinder) {}

  /**
   * @param forVerification whether the key may come from memory as old as a verification allows (docs/api.md 12.3).
   * @throws Refusal unless the header is well-formed and the key exists (docs/api.md 1.2).
   */
  authenticate(request: Request, forVerification = false): Promise<FoundKey> {
    return bearerKey(request, this.keys, { forVerification, address: request.ip });
  }
}
