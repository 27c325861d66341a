import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import { addMember } from '../domain/account.decisions.js';
import { AddMember } from './add-member.command.js';

@CommandHandler(AddMember)
export class AddMemberHandler implements ICommandHandler<AddMember> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute({ accountId, userId, origin }: AddMember): Promise<void> {
    await this.accounts.change(accountId, origin, (state) => addMember(state, userId));
  }
}
