import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountFacts } from '../../accounts/published/account-facts.js';
import { type Key, ownKey } from '../domain/key.js';
import { updateKey, type WorkspaceFacts } from '../domain/key-updates.js';
import { effectiveKeyDecided } from '../effective-keys.js';
import { Keys } from '../keys.js';
import { UpdateKey } from './update-key.command.js';
import type { UpdateKeyRequest } from './update-key.request.js';

@CommandHandler(UpdateKey)
export class UpdateKeyHandler implements ICommandHandler<UpdateKey> {
  constructor(
    @Inject(Keys) private readonly keys: Keys,
    @Inject(AccountFacts) private readonly accounts: AccountFacts,
  ) {}

  async execute({ account, hash, changes, origin }: UpdateKey): Promise<Key> {
    const { accountId, defaultWorkspaceId } = account;
    const state = await this.keys.change(hash, accountId, origin, async (before) => {
      const own = ownKey(before, accountId);
      return updateKey(own, changes, await this.#workspaceFacts(own, changes));
    });
    const updated = ownKey(state, accountId);
    // The default workspace is never deleted.
    if (updated.workspace_id === defaultWorkspaceId) return updated;
    return effectiveKeyDecided(this.accounts, updated);
  }

  async #workspaceFacts(
    { account_id, workspace_id, creator_user_id }: Key,
    wanted: UpdateKeyRequest,
  ): Promise<WorkspaceFacts | undefined> {
    if (wanted.workspace_id === undefined && wanted.disabled !== false) return undefined;
    const both = [workspace_id, wanted.workspace_id ?? workspace_id];
    const [from, to] = await this.accounts.workspaces(account_id, both);
    if (!to) return { from: [], to };
    return {
      from: from?.restrictions ?? (await this.accounts.goneRestrictions(account_id, workspace_id)),
      to: { restrictions: to.restrictions, admitsCreator: to.admits(creator_user_id) },
    };
  }
}
