import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../../kernel/metadata.js';
import { addMember } from '../domain/account.decisions.js';
import { account, accountStream } from '../domain/account.js';
import { ACCOUNT_QUOTAS, type AccountQuotas } from '../domain/quotas.js';

/** Makes a user a member of an organization, and so of its default workspace. */
export class AddMember extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly userId: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(AddMember)
export class AddMemberHandler implements ICommandHandler<AddMember> {
  constructor(
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(ACCOUNT_QUOTAS) private readonly quotas: AccountQuotas,
  ) {}

  async execute({ accountId, userId, origin }: AddMember): Promise<void> {
    await this.runner.run({
      aggregate: account,
      stream: accountStream(accountId),
      accountId,
      origin,
      decide: (state) => addMember(state, userId, this.quotas),
    });
  }
}
