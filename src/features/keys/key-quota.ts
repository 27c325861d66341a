import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { quotaExceeded } from '../../kernel/errors.js';
import { inTime } from '../../kernel/in-time.js';
import { KeyDirectory } from './key-directory/key-directory.js';

export const KEY_QUOTA = Symbol('KeyQuota');

const COUNTED_EVERY_MS = 1_000;
const COUNTED_ACCOUNTS = 10_000;
/** The longest time that the creation of a key waits for the count of keys. */
const ANSWERED_WITHIN_MS = 500;

/**
 * The quota of API keys that an account may have (docs/api.md 2.9). The quota is approximate, because the count of the
 * key directory may lack the newest keys. A count serves an account for one second; before a refusal, the directory
 * counts again.
 */
@Injectable()
export class KeyQuota {
  /** The number of keys of each account: the last count, plus the keys that were admitted since that count. */
  readonly #counted = new LRUCache<string, number>({
    max: COUNTED_ACCOUNTS,
    ttl: COUNTED_EVERY_MS,
    noUpdateTTL: true,
  });

  constructor(
    @Inject(KEY_QUOTA) private readonly limit: number,
    private readonly directory: KeyDirectory,
  ) {}

  /** Admits the creation of one key. @throws Refusal when the account has used its quota up. */
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
      // The read store is down or slow. Creating a key does not need it.
      return 0;
    }
  }
}
