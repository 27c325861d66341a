import { Injectable } from '@nestjs/common';
import { ALL_WORKSPACES } from '../../edge/http/fields/field-decorators.js';
import type { Page } from '../../kernel/page.js';
import type { Read } from '../../kernel/read.js';
import { AccountFacts, type AccountWithDefault } from '../accounts/published/account-facts.js';
import { effectiveKey, type Key, unknownWorkspace } from './domain/key.js';
import { KeyDirectory } from './key-directory/key-directory.js';
import type { KeyPageWanted } from './key-directory/key-pages.js';

/** The keys of the key directory as callers see them (ADR 22). */
@Injectable()
export class EffectiveKeys {
  constructor(
    private readonly directory: KeyDirectory,
    private readonly accounts: AccountFacts,
  ) {}

  /**
   * Lists keys of an account (docs/api.md 3.7). Without a filter and a workspace, lists the keys of
   * the default workspace; with `all`, those of all workspaces.
   * @throws Refusal for an unknown workspace.
   */
  async page(account: AccountWithDefault, wanted: KeyPageWanted): Promise<Read<Page<Key>>> {
    const { accountId, defaultWorkspaceId } = account;
    const { workspaceId = wanted.filter ? ALL_WORKSPACES : defaultWorkspaceId } = wanted;
    if (workspaceId === ALL_WORKSPACES) {
      const everywhere = { ...wanted, workspaceId: undefined };
      const { found, isLate } = await this.directory.page(accountId, everywhere);
      const ids = found.documents.map((key) => key.workspace_id);
      const live = await this.accounts.liveWorkspaces(account, ids);
      const documents = found.documents.map((key) => effectiveKey(key, live));
      return { found: { ...found, documents }, isLate };
    }
    const live = await this.accounts.liveWorkspaces(account, [workspaceId]);
    if (!live.has(workspaceId)) throw unknownWorkspace();
    return this.directory.page(accountId, { ...wanted, workspaceId });
  }

  async find(account: AccountWithDefault, hash: string): Promise<Read<Key>> {
    const { found, isLate } = await this.directory.ownKey(account.accountId, hash);
    const live = await this.accounts.liveWorkspaces(account, [found.workspace_id]);
    return { found: effectiveKey(found, live), isLate };
  }
}
