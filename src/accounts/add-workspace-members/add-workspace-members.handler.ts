import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import { addWorkspaceMembers } from '../domain/workspace.decisions.js';
import { AddWorkspaceMembers } from './add-workspace-members.command.js';

@CommandHandler(AddWorkspaceMembers)
export class AddWorkspaceMembersHandler implements ICommandHandler<AddWorkspaceMembers> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute(command: AddWorkspaceMembers): Promise<readonly string[]> {
    const { accountId, idOrSlug, userIds, origin } = command;
    let added: readonly string[] = [];
    await this.accounts.change(accountId, origin, (state) => {
      const events = addWorkspaceMembers(state, idOrSlug, userIds);
      added = events.map(({ data }) => data.user_id);
      return events;
    });
    return added;
  }
}
