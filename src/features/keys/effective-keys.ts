import { Injectable } from '@nestjs/common';
import { ALL_WORKSPACES } from '../../edge/http/fields/field-decorators.js';
import type { Read } from '../../kernel/read.js';
import { AccountFacts } from '../accounts/published/account-facts.js';
import { effectiveKey, type Key, unknownWorkspace } from './domain/key.js';
import { KeyDirectory } from './key-directory/key-directory.js';
import type { FoundKeys, KeyPageWanted } from './key-directory/key-pages.js';

/** An account, with the workspace that is never deleted. */
interface Account {
  readonly accountId: string;
  readonly defaultWorkspaceId: string;
}

/** The keys of the key directory as callers see them: a key whose workspace was deleted counts as disabled (ADR 22). */
@Injectable()
export class EffectiveKeys {
  constructor(
    private readonly directory: KeyDirectory,
    private readonly accounts: AccountFacts,
  ) {}

  /**
   * Lists keys of an account, newest first (docs/api.md 3.7). Without a filter and a workspace, lists the keys of the
   * default workspace; with `all`, those of all workspaces.
   * @throws Refusal for an unknown workspace.
   */
  async page(account: Account, wanted: KeyPageWanted): Promise<Read<FoundKeys>> {
    const { accountId, defaultWorkspaceId } = account;
    const { workspaceId = wanted.filter ? ALL_WORKSPACES : defaultWorkspaceId } = wanted;
    if (workspaceId === ALL_WORKSPACES) {
      const everywhere = { ...wanted, workspaceId: undefined };
      const { found, isLate } = await this.directory.page(accountId, everywhere);
      return { found: { ...found, keys: await this.#effective(account, found.keys) }, isLate };
    }
    if (workspaceId !== defaultWorkspaceId) {
      const workspace = await this.accounts.workspace(accountId, workspaceId);
      if (!workspace) throw unknownWorkspace();
    }
    return this.directory.page(accountId, { ...wanted, workspaceId });
  }

  async find(account: Account, hash: string): Promise<Read<Key>> {
    const { found, isLate } = await this.directory.ownKey(account.accountId, hash);
    const [key = found] = await this.#effective(account, [found]);
    return { found: key, isLate };
  }

  /** Asks about the workspaces of all keys in one look-up. */
  async #effective(
    { accountId, defaultWorkspaceId }: Account,
    keys: readonly Key[],
  ): Promise<readonly Key[]> {
    const ids = [...new Set(keys.map((key) => key.workspace_id))];
    if (ids.every((id) => id === defaultWorkspaceId)) return keys;
    const live = await this.accounts.workspaces(accountId, ids);
    return keys.map((key) => effectiveKey(key, live.has(key.workspace_id)));
  }
}
