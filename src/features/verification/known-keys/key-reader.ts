import { Injectable } from '@nestjs/common';
import type { Caller } from '../../../edge/http/callers/caller.js';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import { AccountDirectory } from '../../accounts/account-directory/account-directory.js';
import type { ManagementKeyDocument } from '../../accounts/account-directory/account-directory.projection.js';
import { AccountFacts, type PublishedAccount } from '../../accounts/published/account-facts.js';
import { effectiveKey, type Key } from '../../keys/domain/key.js';
import { KeyFacts } from '../../keys/published/key-facts.js';
import type { KnownKey } from './known-keys.js';

/**
 * Reads keys that are not in memory. The log says whether a key is live, because a directory may be behind the
 * log. A management key has no stream of its own, so the account directory says which account has the key.
 */
@Injectable()
export class KeyReader {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly accountFacts: AccountFacts,
    private readonly keyFacts: KeyFacts,
    private readonly models: ReadModels,
  ) {}

  /** Reads a key of either kind. Before it finds none, the account directory is up to date. */
  async anyKey(hash: string): Promise<KnownKey | 'revoked' | null> {
    const projected = await this.accounts.projectedManagementKey(hash);
    if (projected) return this.#managementKey(projected);
    const key = await this.keyFacts.key(hash);
    return key === null ? this.#newManagementKey(hash) : this.#apiKey(hash, key);
  }

  async apiKey(hash: string): Promise<KnownKey | null> {
    return this.#apiKey(hash, await this.keyFacts.key(hash));
  }

  async #apiKey(hash: string, key: Key | 'deleted' | null): Promise<KnownKey | null> {
    if (key === null || key === 'deleted') return null;
    const account = await this.accountFacts.account(key.account_id);
    if (!account) return null;
    const { name, creator_user_id: user_id } = key;
    return {
      kind: 'api',
      caller: callerOf({ keyKind: 'api', hash, name, user_id }, account),
      key: effectiveKey(key, account.hasWorkspace(key.workspace_id)),
    };
  }

  /** Reads the key once the account directory is up to date. @throws Unavailable when the wait takes too long. */
  async #newManagementKey(hash: string): Promise<KnownKey | 'revoked' | null> {
    await this.models.reached();
    const projected = await this.accounts.projectedManagementKey(hash);
    return projected ? this.#managementKey(projected) : null;
  }

  async #managementKey(key: ManagementKeyDocument): Promise<KnownKey | 'revoked'> {
    const account = await this.accountFacts.account(key.account_id);
    if (!account?.hasLiveManagementKey(key.hash)) return 'revoked';
    return { kind: 'management', caller: callerOf({ keyKind: 'management', ...key }, account) };
  }
}

type Holder = Pick<Caller, 'keyKind'> & Pick<ManagementKeyDocument, 'hash' | 'name' | 'user_id'>;

/** Creates the caller of a key. The callers of one account share the account's strings in memory. */
function callerOf(
  { keyKind, hash, name, user_id }: Holder,
  { id, kind, defaultWorkspaceId }: PublishedAccount,
): Caller {
  return {
    keyKind,
    keyHash: hash,
    keyName: name,
    accountId: id,
    accountKind: kind,
    defaultWorkspaceId,
    userId: user_id,
  };
}
