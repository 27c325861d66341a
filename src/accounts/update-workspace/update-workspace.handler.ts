import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import type { Workspace } from '../domain/workspace.js';
import { existingWorkspace, updateWorkspace } from '../domain/workspace.decisions.js';
import { UpdateWorkspace } from './update-workspace.command.js';

@CommandHandler(UpdateWorkspace)
export class UpdateWorkspaceHandler implements ICommandHandler<UpdateWorkspace> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute({ accountId, idOrSlug, changes, origin }: UpdateWorkspace): Promise<Workspace> {
    const account = await this.accounts.change(accountId, origin, (state) =>
      updateWorkspace(state, idOrSlug, changes),
    );
    return existingWorkspace(account, changes.slug ?? idOrSlug);
  }
}
