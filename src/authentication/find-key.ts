import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AccountDirectory } from '../accounts/account-directory/account-directory.js';
import { accountDirectory } from '../accounts/account-directory/account-directory.projection.js';
import { AccountFacts } from '../accounts/published/account-facts.js';
import type { FoundKey, KeyFinder } from '../http/management-key.guard.js';
import { KeyDirectory } from '../keys/key-directory/key-directory.js';
import { keyDirectory } from '../keys/key-directory/key-directory.projection.js';
import { ReadYourWrites } from '../projections/read-your-writes.js';

/** A revoked key works no longer than this on any replica. */
const REMEMBERED_MS = 1_000;
const REMEMBERED_KEYS = 10_000;

/**
 * Finds keys for authentication in the directories of both kinds. Whether a management key was revoked is for
 * the log to say: a directory that cannot be projected must not keep a revoked key alive.
 */
@Injectable()
export class DirectoryKeyFinder implements KeyFinder {
  readonly #management = new LRUCache<string, FoundKey>({
    max: REMEMBERED_KEYS,
    ttl: REMEMBERED_MS,
  });

  constructor(
    @Inject(AccountDirectory) private readonly accounts: AccountDirectory,
    @Inject(AccountFacts) private readonly facts: AccountFacts,
    @Inject(KeyDirectory) private readonly keys: KeyDirectory,
    @Inject(ReadYourWrites) private readonly readYourWrites: ReadYourWrites,
  ) {}

  async find(hash: string): Promise<FoundKey | null> {
    const remembered = this.#management.get(hash);
    if (remembered) return remembered;
    const found = (await this.#projected(hash)) ?? (await this.#settled(hash));
    if (found?.kind !== 'management') return found;
    if (!(await this.facts.managementKeyIsLive(found.caller.accountId, hash))) return null;
    this.#management.set(hash, found);
    return found;
  }

  /** Only a key that is not there yet is worth waiting for: it may have been created a moment ago. */
  async #settled(hash: string): Promise<FoundKey | null> {
    await Promise.all([
      this.readYourWrites.settled(accountDirectory.name),
      this.readYourWrites.settled(keyDirectory.name),
    ]);
    return this.#projected(hash);
  }

  async #projected(hash: string): Promise<FoundKey | null> {
    const managementKey = await this.accounts.projectedManagementKey(hash);
    if (managementKey) {
      const { account_id: accountId, account_kind: accountKind, user_id: userId } = managementKey;
      return { kind: 'management', caller: { keyHash: hash, accountId, accountKind, userId } };
    }
    return (await this.keys.projectedKey(hash)) ? { kind: 'api' } : null;
  }
}
