import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import type { Origin } from '../../kernel/metadata.js';
import { removeMember } from '../domain/account.decisions.js';
import { account, accountStream, existing } from '../domain/account.js';

/** Ends a membership, with it the workspace memberships and the management keys of the user. */
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
      // One decision ends as many memberships as one append holds.
      if (!existing(state).members.has(userId)) return;
    }
  }
}
