import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import { removeWorkspaceMember } from '../domain/workspace.decisions.js';
import { RemoveWorkspaceMember } from './remove-workspace-member.command.js';

@CommandHandler(RemoveWorkspaceMember)
export class RemoveWorkspaceMemberHandler implements ICommandHandler<RemoveWorkspaceMember> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute({ accountId, workspaceId, userId, origin }: RemoveWorkspaceMember): Promise<void> {
    await this.accounts.change(accountId, origin, (state) =>
      removeWorkspaceMember(state, workspaceId, userId),
    );
  }
}
