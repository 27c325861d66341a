import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../../kernel/metadata.js';
import { account, accountStream } from '../domain/account.js';
import { removeWorkspaceMembers } from '../domain/workspace.decisions.js';
import type { WorkspaceMembersRequest } from '../workspace-members.js';

/** Ends memberships of a workspace, all or none. Keys in the workspace stay. Returns the ids of the removed users. */
export class RemoveWorkspaceMembers extends Command<readonly string[]> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly body: WorkspaceMembersRequest,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RemoveWorkspaceMembers)
export class RemoveWorkspaceMembersHandler implements ICommandHandler<RemoveWorkspaceMembers> {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  async execute(command: RemoveWorkspaceMembers): Promise<readonly string[]> {
    const { accountId, idOrSlug, body, origin } = command;
    let removed: readonly string[] = [];
    await this.runner.run({
      aggregate: account,
      stream: accountStream(accountId),
      accountId,
      origin,
      decide: (state) => {
        const events = removeWorkspaceMembers(state, idOrSlug, body.user_ids);
        removed = events.map(({ data }) => data.user_id);
        return events;
      },
    });
    return removed;
  }
}
