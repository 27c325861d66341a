import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import type { Origin } from '../../kernel/metadata.js';
import { account, accountStream, existing } from '../domain/account.js';
import {
  existingWorkspace,
  updateWorkspace,
  type WorkspaceChanges,
} from '../domain/workspace.decisions.js';
import type { Workspace } from '../domain/workspace.js';

/** Changes fields of a workspace, all or none. Gives the workspace. */
export class UpdateWorkspace extends Command<Workspace> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly changes: WorkspaceChanges,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(UpdateWorkspace)
export class UpdateWorkspaceHandler implements ICommandHandler<UpdateWorkspace> {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  async execute({ accountId, idOrSlug, changes, origin }: UpdateWorkspace): Promise<Workspace> {
    const { state } = await this.runner.run({
      aggregate: account,
      stream: accountStream(accountId),
      accountId,
      origin,
      decide: (before) => updateWorkspace(before, idOrSlug, changes),
    });
    return existingWorkspace(existing(state), changes.slug ?? idOrSlug);
  }
}
