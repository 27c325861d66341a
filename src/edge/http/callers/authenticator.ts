import { Inject, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Refusal } from '../../../kernel/errors.js';
import { hashKeyString, isBrokenKeyString } from '../../../kernel/key-string.js';
import { type FoundKey, KEY_FINDER, type KeyFinder } from './bearer-key.js';

/** Finds the key of a request, for the guards. */
@Injectable()
export class Authenticator {
  constructor(@Inject(KEY_FINDER) private readonly keys: KeyFinder) {}

  /**
   * @param forVerification whether the key may come from memory as old as a verification allows (docs/api.md 12.3).
   * @throws Refusal unless the key exists (docs/api.md 1.2).
   */
  async authenticate(
    { ip: address }: Request,
    keyString: string,
    forVerification = false,
  ): Promise<FoundKey> {
    if (isBrokenKeyString(keyString)) throw new Refusal('key-invalid');
    const found = await this.keys.find(hashKeyString(keyString), { forVerification, address });
    if (!found || found === 'revoked') throw new Refusal('key-invalid');
    return found;
  }
}
