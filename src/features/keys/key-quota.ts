import { Inject, Injectable } from '@nestjs/common';
import { isOutOfReach, quotaExceeded, Unavailable } from '../../kernel/errors.js';
import { inTime } from '../../event-sourcing/waiting/in-time.js';
import { KeyDirectory } from './key-directory/key-directory.js';

export const KEY_QUOTA = Symbol('KeyQuota');

/** The longest time that the creation of a key waits for the count of keys. */
const COUNTED_WITHIN_MS = 500;

/**
 * The quota of API keys of an account (docs/api.md 2.9). Asked of a read model, because no stream
 * counts an account's keys. Approximate, because the key directory may lack the newest keys.
 */
@Injectable()
export class KeyQuota {
  constructor(
    @Inject(KEY_QUOTA) private readonly limit: number,
    private readonly directory: KeyDirectory,
  ) {}

  /** Admits the creation of one key. @throws Refusal when the account has used its quota up. */
  async admit(accountId: string): Promise<void> {
    const late = () => new Unavailable('read store', 'it does not count keys in time');
    const counting = this.directory.projectedCount(accountId);
    const count = await inTime(counting, COUNTED_WITHIN_MS, late).catch((error: unknown) => {
      // While the read store is down or slow, keys are created without this check.
      if (isOutOfReach(error)) return 0;
      throw error;
    });
    if (count >= this.limit) throw quotaExceeded('api-keys', this.limit);
  }
}
