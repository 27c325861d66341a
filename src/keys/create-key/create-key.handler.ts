import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountFacts } from '../../accounts/published/account-facts.js';
import { createKey, ownKey, type Key } from '../domain/key.js';
import { effectiveKeyDecided } from '../effective-keys.js';
import { Keys } from '../keys.js';
import { CreateKey } from './create-key.command.js';

@CommandHandler(CreateKey)
export class CreateKeyHandler implements ICommandHandler<CreateKey> {
  constructor(
    @Inject(Keys) private readonly keys: Keys,
    @Inject(AccountFacts) private readonly accounts: AccountFacts,
  ) {}

  async execute(command: CreateKey): Promise<Key> {
    const { key: wanted, workspaceId, origin } = command;
    const { account_id: accountId } = wanted;
    const state = await this.keys.create(wanted.hash, accountId, origin, async (before) => {
      const [workspace] = await this.accounts.workspaces(accountId, [workspaceId]);
      return createKey(before, wanted, workspace?.id);
    });
    const created = ownKey(state, accountId);
    // The default workspace is never deleted.
    return workspaceId === undefined ? created : effectiveKeyDecided(this.accounts, created);
  }
}
