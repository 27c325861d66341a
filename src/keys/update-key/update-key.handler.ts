import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountFacts } from '../../accounts/published/account-facts.js';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import {
  key,
  type Key,
  keyStream,
  type MoveFacts,
  ownKey,
  updateKey,
  type UpdateKey as Changes,
} from '../domain/key.js';
import { UpdateKey } from './update-key.command.js';

@CommandHandler(UpdateKey)
export class UpdateKeyHandler implements ICommandHandler<UpdateKey> {
  constructor(
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(AccountFacts) private readonly accounts: AccountFacts,
  ) {}

  async execute({ hash, changes, origin }: UpdateKey): Promise<Key> {
    const { accountId } = changes;
    const { state } = await this.runner.run({
      aggregate: key,
      stream: keyStream(hash),
      accountId,
      origin,
      decide: async (before) => {
        const own = ownKey(before, accountId);
        return updateKey(own, changes, await this.#moveFacts(own, changes));
      },
    });
    return ownKey(state, accountId);
  }

  async #moveFacts(own: Key, { workspaceId }: Changes): Promise<MoveFacts | undefined> {
    if (workspaceId === undefined) return undefined;
    const ids = [own.workspace_id, workspaceId];
    const [from, to] = await this.accounts.workspaces(own.account_id, ids);
    return {
      from: from?.restrictions ?? [],
      to: to && { restrictions: to.restrictions, admitsCreator: to.admits(own.creator_user_id) },
    };
  }
}
