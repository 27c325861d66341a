import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import type { Workspace } from '../domain/workspace.js';
import { existingWorkspace, updateWorkspace } from '../domain/workspace.decisions.js';
import { RestrictWorkspace } from './restrict-workspace.command.js';

@CommandHandler(RestrictWorkspace)
export class RestrictWorkspaceHandler implements ICommandHandler<RestrictWorkspace> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute({
    accountId,
    workspaceId,
    restrictions,
    origin,
  }: RestrictWorkspace): Promise<Workspace> {
    const account = await this.accounts.change(accountId, origin, (state) =>
      updateWorkspace(state, workspaceId, { restrictions }),
    );
    return existingWorkspace(account, workspaceId);
  }
}
