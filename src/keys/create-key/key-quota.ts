import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { quotaExceeded } from '../../kernel/errors.js';
import { inTime } from '../../kernel/in-time.js';
import { KeyDirectory } from '../key-directory/key-directory.js';

export const KEY_QUOTA = Symbol('KeyQuota');

const COUNTED_EVERY_MS = 1_000;
const COUNTED_ACCOUNTS = 10_000;
/** A count is not worth a creation that hangs. */
const ANSWERED_WITHIN_MS = 500;

/**
 * How many API keys an account may have (docs/api.md 2.9), by the count of the directory: about so many, as keys that
 * were created a moment ago may not be in it. It is asked once a second for an account, and before each refusal.
 */
@Injectable()
export class KeyQuota {
  /** Keys of accounts, with those that were let in since they were counted. */
  readonly #counted = new LRUCache<string, number>({
    max: COUNTED_ACCOUNTS,
    ttl: COUNTED_EVERY_MS,
    noUpdateTTL: true,
  });

  constructor(
    @Inject(KEY_QUOTA) private readonly limit: number,
    @Inject(KeyDirectory) private readonly directory: KeyDirectory,
  ) {}

  /** Lets a key be created. @throws Refusal when the account has as many as it may. */
  async admit(accountId: string): Promise<void> {
    const known = this.#counted.get(accountId);
    const count = known !== undefined && known < this.limit ? known : await this.#count(accountId);
    if (count >= this.limit) throw quotaExceeded('api-keys', this.limit);
    this.#counted.set(accountId, (this.#counted.get(accountId) ?? count) + 1);
  }

  async #count(accountId: string): Promise<number> {
    this.#counted.delete(accountId);
    try {
      return await inTime(this.directory.projectedCount(accountId), ANSWERED_WITHIN_MS);
    } catch {
      // The read store is down or slow: keys are created without it, as far as authentication lets them be.
      return 0;
    }
  }
}
