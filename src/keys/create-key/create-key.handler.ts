import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountFacts } from '../../accounts/published/account-facts.js';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import { createKey, key, keyStream, ownKey, type Key } from '../domain/key.js';
import { CreateKey } from './create-key.command.js';

@CommandHandler(CreateKey)
export class CreateKeyHandler implements ICommandHandler<CreateKey> {
  constructor(
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(AccountFacts) private readonly accounts: AccountFacts,
  ) {}

  async execute({ key: wanted, origin }: CreateKey): Promise<Key> {
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
    return ownKey(state, accountId);
  }
}
