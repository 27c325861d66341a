import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import { addWorkspaceMember } from '../domain/workspace.decisions.js';
import { AddWorkspaceMember } from './add-workspace-member.command.js';

@CommandHandler(AddWorkspaceMember)
export class AddWorkspaceMemberHandler implements ICommandHandler<AddWorkspaceMember> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute({ accountId, workspaceId, userId, origin }: AddWorkspaceMember): Promise<void> {
    await this.accounts.change(accountId, origin, (state) =>
      addWorkspaceMember(state, workspaceId, userId),
    );
  }
}
