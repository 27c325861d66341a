import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountFacts } from '../../accounts/published/account-facts.js';
import { createKey, deleteKey, ownKey, type Key, unknownWorkspace } from '../domain/key.js';
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
    // The default workspace is never deleted.
    if (workspaceId !== undefined) await this.#checkAgain(command, workspaceId);
    return ownKey(state, accountId);
  }

  /** The workspace may have gone while the key came: then it is as if the key had come later (ADR 12). */
  async #checkAgain({ key: wanted, origin }: CreateKey, workspaceId: string): Promise<void> {
    const { account_id: accountId, hash } = wanted;
    const [workspace] = await this.accounts.workspaces(accountId, [workspaceId]);
    if (workspace) return;
    await this.keys.change(hash, accountId, origin, (created) =>
      created === 'deleted' ? [] : deleteKey(ownKey(created, accountId)),
    );
    throw unknownWorkspace();
  }
}
