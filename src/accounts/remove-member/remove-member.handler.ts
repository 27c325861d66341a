import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import { removeMember } from '../domain/account.decisions.js';
import { RemoveMember } from './remove-member.command.js';

@CommandHandler(RemoveMember)
export class RemoveMemberHandler implements ICommandHandler<RemoveMember> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute({ accountId, userId, origin }: RemoveMember): Promise<void> {
    for (;;) {
      const { members } = await this.accounts.change(accountId, origin, (state) =>
        removeMember(state, userId),
      );
      if (!members.has(userId)) return;
    }
  }
}
