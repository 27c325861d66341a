import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IntersectionType, PickType } from '@nestjs/swagger';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { AbsentableFields } from '../../../edge/http/fields/mapped-fields.js';
import type { Origin } from '../../../kernel/metadata.js';
import { account, accountStream, existing } from '../domain/account.js';
import { ACCOUNT_QUOTAS, type AccountQuotas } from '../domain/quotas.js';
import { createWorkspace, existingWorkspace } from '../domain/workspace.decisions.js';
import type { Workspace } from '../domain/workspace.js';
import { WorkspaceFields } from '../workspace.fields.js';

/** The body of `POST /v1/workspaces` (docs/api.md 2.6). Unknown fields are ignored. Null counts as absent. */
export class CreateWorkspaceRequest extends IntersectionType(
  PickType(WorkspaceFields, ['name']),
  AbsentableFields(WorkspaceFields, ['slug', 'description', 'restrictions']),
) {}

/** Adds a workspace without members to an account. Returns the workspace. */
export class CreateWorkspace extends Command<Workspace> {
  constructor(
    readonly accountId: string,
    readonly body: CreateWorkspaceRequest,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(CreateWorkspace)
export class CreateWorkspaceHandler implements ICommandHandler<CreateWorkspace> {
  constructor(
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(ACCOUNT_QUOTAS) private readonly quotas: AccountQuotas,
  ) {}

  async execute({ accountId, body, origin }: CreateWorkspace): Promise<Workspace> {
    const workspaceId = randomUUID();
    const { state } = await this.runner.run({
      aggregate: account,
      stream: accountStream(accountId),
      accountId,
      origin,
      decide: (before) => createWorkspace(before, workspaceId, body, this.quotas),
    });
    return existingWorkspace(existing(state), workspaceId);
  }
}
