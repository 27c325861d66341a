import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountFacts } from '../../accounts/published/account-facts.js';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import {
  createKey,
  deleteKey,
  key,
  keyStream,
  ownKey,
  type Key,
  unknownWorkspace,
} from '../domain/key.js';
import { CreateKey } from './create-key.command.js';

@CommandHandler(CreateKey)
export class CreateKeyHandler implements ICommandHandler<CreateKey> {
  constructor(
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(AccountFacts) private readonly accounts: AccountFacts,
  ) {}

  async execute(command: CreateKey): Promise<Key> {
    const { key: wanted, origin } = command;
    const { accountId, workspaceId } = wanted;
    const { state } = await this.runner.run({
      aggregate: key,
      stream: keyStream(wanted.hash),
      accountId,
      origin,
      expectNew: true,
      decide: async (before) => {
        const [workspace] = await this.accounts.workspaces(accountId, [workspaceId]);
        return createKey(before, wanted, workspace?.id);
      },
    });
    // The default workspace is never deleted.
    if (workspaceId !== undefined) await this.#checkAgain(command, workspaceId);
    return ownKey(state, accountId);
  }

  /** The workspace may have gone while the key came: then it is as if the key had come later (ADR 12). */
  async #checkAgain({ key: wanted, origin }: CreateKey, workspaceId: string): Promise<void> {
    const { accountId, hash } = wanted;
    const [workspace] = await this.accounts.workspaces(accountId, [workspaceId]);
    if (workspace) return;
    await this.runner.run({
      aggregate: key,
      stream: keyStream(hash),
      accountId,
      origin,
      decide: (created) => (created === 'deleted' ? [] : deleteKey(ownKey(created, accountId))),
    });
    throw unknownWorkspace();
  }
}
