import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AccountDirectory } from '../accounts/account-directory/account-directory.js';
import {
  accountDirectory,
  type ManagementKeyDocument,
} from '../accounts/account-directory/account-directory.projection.js';
import { AccountFacts } from '../accounts/published/account-facts.js';
import type { FoundKey, KeyFinder } from '../http/bearer-key.js';
import { CLOCK, type Clock } from '../kernel/clock.js';
import { effectiveKey } from '../keys/domain/key.js';
import { whyNotLive } from '../keys/domain/liveness.js';
import { KeyFacts } from '../keys/published/key-facts.js';
import { ReadYourWrites } from '../projections/read-your-writes.js';

/** A revoked management key works for at most this long on any replica. */
const REMEMBERED_MS = 1_000;
const REMEMBERED_KEYS = 10_000;

/**
 * Finds keys for authentication (docs/api.md 1.2). The log decides whether a key is live: a stale directory must not keep
 * a revoked, disabled or deleted key alive. The directory gives the account of a management key; an API key has a stream
 * of its own.
 */
@Injectable()
export class DirectoryKeyFinder implements KeyFinder {
  readonly #management = new LRUCache<string, FoundKey>({
    max: REMEMBERED_KEYS,
    ttl: REMEMBERED_MS,
  });

  constructor(
    @Inject(AccountDirectory) private readonly accounts: AccountDirectory,
    @Inject(AccountFacts) private readonly accountFacts: AccountFacts,
    @Inject(KeyFacts) private readonly keyFacts: KeyFacts,
    @Inject(ReadYourWrites) private readonly readYourWrites: ReadYourWrites,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async find(hash: string, mayWait: boolean): Promise<FoundKey | null> {
    const remembered = this.#management.get(hash);
    if (remembered) return remembered;
    const projected = await this.accounts.projectedManagementKey(hash);
    if (projected) return this.#managementKey(projected);
    const apiKey = await this.#apiKey(hash);
    return apiKey ?? (mayWait ? this.#newManagementKey(hash) : null);
  }

  /** Waits for the directory, as the key may be new. @throws Unavailable when the directory takes too long. */
  async #newManagementKey(hash: string): Promise<FoundKey | null> {
    await this.readYourWrites.reached(accountDirectory.name);
    const projected = await this.accounts.projectedManagementKey(hash);
    return projected ? this.#managementKey(projected) : null;
  }

  async #managementKey(key: ManagementKeyDocument): Promise<FoundKey | null> {
    const { hash, account_id: accountId } = key;
    const asked = performance.now();
    const account = await this.accountFacts.account(accountId);
    if (!account?.hasLiveManagementKey(hash)) return null;
    const found: FoundKey = {
      kind: 'management',
      caller: {
        keyKind: 'management',
        keyHash: hash,
        keyName: key.name,
        accountId,
        accountKind: account.kind,
        defaultWorkspaceId: account.defaultWorkspaceId,
        userId: key.user_id,
      },
    };
    // The entry ages from the question on, because the answer may be old when it arrives.
    this.#management.set(hash, found, { start: asked });
    return found;
  }

  async #apiKey(hash: string): Promise<FoundKey | null> {
    const key = await this.keyFacts.key(hash);
    const account = key && (await this.accountFacts.account(key.account_id));
    if (!account) return null;
    return {
      kind: 'api',
      caller: {
        keyKind: 'api',
        keyHash: hash,
        keyName: key.name,
        accountId: key.account_id,
        accountKind: account.kind,
        defaultWorkspaceId: account.defaultWorkspaceId,
        userId: key.creator_user_id,
      },
      refusal: whyNotLive(
        effectiveKey(key, account.hasWorkspace(key.workspace_id)),
        this.clock.now(),
      ),
    };
  }
}
