import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { Refusal } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import { decideAccount } from './accounts.commands.js';
import { account, requireAccount } from './domain/account.js';
import { ACCOUNT_QUOTAS, type AccountQuotas } from './domain/quotas.js';
import { updateWorkspace } from './domain/workspace-updates.js';
import {
  addWorkspaceMembers,
  createWorkspace,
  requireDeletableWorkspace,
  deleteWorkspace,
  requireWorkspace,
  removeWorkspaceMembers,
} from './domain/workspace.decisions.js';
import type { Workspace } from './domain/workspace.js';
import { KEY_COUNT, type KeyCount } from './published/key-count.port.js';
import type {
  CreateWorkspaceRequest,
  UpdateWorkspaceRequest,
  WorkspaceMembersRequest,
} from './workspace.fields.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';

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
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    @Inject(ACCOUNT_QUOTAS) private readonly quotas: AccountQuotas,
  ) {}

  async execute({ accountId, body, origin }: CreateWorkspace): Promise<Workspace> {
    const workspaceId = randomUUID();
    const { state } = await decideAccount(this.runner, accountId, origin, (before) =>
      createWorkspace(before, workspaceId, body, this.quotas),
    );
    return requireWorkspace(requireAccount(state), workspaceId);
  }
}

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
  constructor(@Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner) {}

  async execute({ accountId, idOrSlug, body, origin }: UpdateWorkspace): Promise<Workspace> {
    const { state } = await decideAccount(this.runner, accountId, origin, (before) =>
      updateWorkspace(before, idOrSlug, body),
    );
    return requireWorkspace(requireAccount(state), body.slug ?? idOrSlug);
  }
}

/**
 * Deletes a workspace for good if it holds no keys. Counts, then deletes in one decision (ADR 22).
 * A key that arrives after the count stays in the workspace and counts as disabled.
 */
export class DeleteWorkspace extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(DeleteWorkspace)
export class DeleteWorkspaceHandler implements ICommandHandler<DeleteWorkspace> {
  constructor(
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    @Inject(KEY_COUNT) private readonly keys: KeyCount,
  ) {}

  async execute({ accountId, idOrSlug, origin }: DeleteWorkspace): Promise<void> {
    const load = () => this.runner.load(account, accountId, accountId);
    const { id } = requireDeletableWorkspace(await load(), idOrSlug);
    if ((await this.keys.count(accountId, id)) > 0) {
      // If another request deleted it before the counted key arrived, the refusal is `not-found`.
      requireDeletableWorkspace(await load(), id);
      throw new Refusal('workspace-holds-keys');
    }
    await decideAccount(this.runner, accountId, origin, (state) => deleteWorkspace(state, id));
  }
}

/** Adds users to a workspace, or removes them, all or none. Returns those whom this changed. */
export class ChangeWorkspaceMembers extends Command<readonly string[]> {
  constructor(
    readonly change: 'add' | 'remove',
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly body: WorkspaceMembersRequest,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(ChangeWorkspaceMembers)
export class ChangeWorkspaceMembersHandler implements ICommandHandler<ChangeWorkspaceMembers> {
  constructor(
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    @Inject(ACCOUNT_QUOTAS) private readonly quotas: AccountQuotas,
  ) {}

  async execute(command: ChangeWorkspaceMembers): Promise<readonly string[]> {
    const { change, accountId, idOrSlug, body, origin } = command;
    let changed: readonly string[] = [];
    await decideAccount(this.runner, accountId, origin, (state) => {
      const events =
        change === 'add'
          ? addWorkspaceMembers(state, idOrSlug, body.user_ids, this.quotas)
          : removeWorkspaceMembers(state, idOrSlug, body.user_ids);
      changed = events.map(({ data }) => data.user_id);
      return events;
    });
    return changed;
  }
}
