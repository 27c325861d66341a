import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import type { Origin } from '../../kernel/metadata.js';
import { account, accountStream } from '../domain/account.js';
import { removeWorkspaceMembers } from '../domain/workspace.decisions.js';

/** Ends memberships of a workspace, all or none; keys in the workspace stay. Gives those who were in it before. */
export class RemoveWorkspaceMembers extends Command<readonly string[]> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly userIds: readonly string[],
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RemoveWorkspaceMembers)
export class RemoveWorkspaceMembersHandler implements ICommandHandler<RemoveWorkspaceMembers> {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  async execute(command: RemoveWorkspaceMembers): Promise<readonly string[]> {
    const { accountId, idOrSlug, userIds, origin } = command;
    let removed: readonly string[] = [];
    await this.runner.run({
      aggregate: account,
      stream: accountStream(accountId),
      accountId,
      origin,
      decide: (state) => {
        const events = removeWorkspaceMembers(state, idOrSlug, userIds);
        removed = events.map(({ data }) => data.user_id);
        return events;
      },
    });
    return removed;
  }
}
