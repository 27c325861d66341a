import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import type { Workspace } from '../domain/workspace.js';
import { createWorkspace, existingWorkspace } from '../domain/workspace.decisions.js';
import { CreateWorkspace } from './create-workspace.command.js';

@CommandHandler(CreateWorkspace)
export class CreateWorkspaceHandler implements ICommandHandler<CreateWorkspace> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute({ accountId, workspace, origin }: CreateWorkspace): Promise<Workspace> {
    const workspaceId = randomUUID();
    const account = await this.accounts.change(accountId, origin, (state) =>
      createWorkspace(state, { ...workspace, workspaceId }),
    );
    return existingWorkspace(account, workspaceId);
  }
}
