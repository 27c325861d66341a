import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { ChangeableFields } from '../../../edge/http/fields/mapped-fields.js';
import { Whole } from '../../../edge/http/fields/whole-shape.js';
import type { Origin } from '../../../kernel/metadata.js';
import { account, accountStream, existing } from '../domain/account.js';
import { CHANGEABLE, updateWorkspace } from '../domain/workspace-updates.js';
import { existingWorkspace } from '../domain/workspace.decisions.js';
import type { Workspace } from '../domain/workspace.js';
import { WorkspaceFields } from '../workspace.fields.js';

/** The body of `PATCH /v1/workspaces/{workspace}` (docs/api.md 2.6). Unknown fields are ignored. */
@Whole({ minProperties: 1 })
export class UpdateWorkspaceRequest extends ChangeableFields(WorkspaceFields, CHANGEABLE) {}

/** Changes a workspace, all fields of the body or none. Returns the workspace after the change. */
export class UpdateWorkspace extends Command<Workspace> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly body: UpdateWorkspaceRequest,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(UpdateWorkspace)
export class UpdateWorkspaceHandler implements ICommandHandler<UpdateWorkspace> {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  async execute({ accountId, idOrSlug, body, origin }: UpdateWorkspace): Promise<Workspace> {
    const { state } = await this.runner.run({
      aggregate: account,
      stream: accountStream(accountId),
      accountId,
      origin,
      decide: (before) => updateWorkspace(before, idOrSlug, body),
    });
    return existingWorkspace(existing(state), body.slug ?? idOrSlug);
  }
}
