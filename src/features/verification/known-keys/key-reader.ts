import { Inject, Injectable } from '@nestjs/common';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import { AccountDirectory } from '../../accounts/account-directory/account-directory.js';
import type { ManagementKeyDocument } from '../../accounts/account-directory/account-directory.projection.js';
import { AccountFacts, unrevokedKey } from '../../accounts/published/account-facts.js';
import { effectiveKey, isKey, type KeyState } from '../../keys/domain/key.js';
import { KeyFacts } from '../../keys/published/key-facts.js';
import type { KnownKey } from './known-keys.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';

/**
 * Reads keys that are not in memory. The log says whether a key is live, since a directory may be
 * behind. A management key has no stream, so the account directory says which account has it.
 */
@Injectable()
export class KeyReader {
  constructor(
    private readonly accounts: AccountDirectory,
    private readonly accountFacts: AccountFacts,
    private readonly keyFacts: KeyFacts,
    @Inject(MANAGEMENT.models) private readonly models: ReadModels,
  ) {}

  /**
   * Reads a key of either kind. Before it finds none, the account directory is up to date.
   * @param before the key as known. A management key keeps its account, so no directory is asked.
   */
  async readAnyKey(hash: string, before?: KnownKey): Promise<KnownKey | 'revoked' | null> {
    if (before?.kind === 'management') {
      const { accountId: account_id, keyName: name, userId: user_id } = before.caller;
      return this.#managementKey({ hash, account_id, name, user_id });
    }
    const projected = await this.accounts.projectedManagementKey(hash);
    if (projected) return this.#managementKey(projected);
    const key = await this.keyFacts.key(hash);
    if (key === 'deleted') return null;
    return isKey(key) ? this.#apiKey(key) : this.#readNewManagementKey(hash);
  }

  async readApiKey(hash: string): Promise<KnownKey | null> {
    return this.#apiKey(await this.keyFacts.key(hash));
  }

  async #apiKey(key: KeyState): Promise<KnownKey | null> {
    if (!isKey(key)) return null;
    const account = await this.accountFacts.account(key.account_id);
    if (!account) return null;
    const { id: account_id } = account;
    // The keys of one account share the account's strings in memory.
    const workspace_id = account.workspaces.get(key.workspace_id)?.id ?? key.workspace_id;
    const shared = { ...effectiveKey(key, account.workspaces), account_id, workspace_id };
    return {
      kind: 'api',
      key: shared,
      accountKind: account.kind,
      defaultWorkspaceId: account.default_workspace_id,
      cursorSecret: account.cursor_secret,
    };
  }

  /** Reads the key when the directory is up to date. @throws Unavailable if that takes too long. */
  async #readNewManagementKey(hash: string): Promise<KnownKey | 'revoked' | null> {
    await this.models.wait.requireWrites();
    const projected = await this.accounts.projectedManagementKey(hash);
    return projected ? this.#managementKey(projected) : null;
  }

  async #managementKey(
    key: Pick<ManagementKeyDocument, 'hash' | 'account_id' | 'name' | 'user_id'>,
  ): Promise<KnownKey | 'revoked'> {
    const account = await this.accountFacts.account(key.account_id);
    const live = account && unrevokedKey(account, key.hash);
    if (!live) return 'revoked';
    const caller = {
      keyKind: 'management',
      keyHash: key.hash,
      keyName: key.name,
      accountId: account.id,
      accountKind: account.kind,
      defaultWorkspaceId: account.default_workspace_id,
      cursorSecret: account.cursor_secret,
      userId: key.user_id,
      role: live.role,
      expiresAt: live.expires_at,
    } as const;
    return { kind: 'management', caller };
  }
}
