import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import { removeWorkspaceMembers } from '../domain/workspace.decisions.js';
import { RemoveWorkspaceMembers } from './remove-workspace-members.command.js';

@CommandHandler(RemoveWorkspaceMembers)
export class RemoveWorkspaceMembersHandler implements ICommandHandler<RemoveWorkspaceMembers> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute(command: RemoveWorkspaceMembers): Promise<readonly string[]> {
    const { accountId, idOrSlug, userIds, origin } = command;
    let removed: readonly string[] = [];
    await this.accounts.change(accountId, origin, (state) => {
      const events = removeWorkspaceMembers(state, idOrSlug, userIds);
      removed = events.map(({ data }) => data.user_id);
      return events;
    });
    return removed;
  }
}
