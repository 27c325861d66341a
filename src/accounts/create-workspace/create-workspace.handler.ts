import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import { createWorkspace, existingWorkspace } from '../domain/account.decisions.js';
import type { Workspace } from '../domain/account.js';
import { CreateWorkspace } from './create-workspace.command.js';

@CommandHandler(CreateWorkspace)
export class CreateWorkspaceHandler implements ICommandHandler<CreateWorkspace> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute({ accountId, name, restrictions, origin }: CreateWorkspace): Promise<Workspace> {
    const workspaceId = randomUUID();
    const account = await this.accounts.change(accountId, origin, (state) =>
      createWorkspace(state, { workspaceId, name, restrictions }),
    );
    return existingWorkspace(account, workspaceId);
  }
}
