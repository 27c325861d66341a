import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../../kernel/metadata.js';
import { removeMember } from '../domain/account.decisions.js';
import { account, accountStream, existing } from '../domain/account.js';

/**
 * Ends the membership of a user in an account, and with it the user's workspace memberships and management keys.
 * Throws a Refusal when the user is no member, or owns the account.
 */
export class RemoveMember extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly userId: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RemoveMember)
export class RemoveMemberHandler implements ICommandHandler<RemoveMember> {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  async execute({ accountId, userId, origin }: RemoveMember): Promise<void> {
    for (;;) {
      const { state } = await this.runner.run({
        aggregate: account,
        stream: accountStream(accountId),
        accountId,
        origin,
        decide: (before) => removeMember(before, userId),
      });
      // One decision ends at most as many memberships as one append can hold.
      if (!existing(state).members.has(userId)) return;
    }
  }
}
