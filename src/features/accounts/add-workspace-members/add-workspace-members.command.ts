import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../../kernel/metadata.js';
import { account, accountStream } from '../domain/account.js';
import { ACCOUNT_QUOTAS, type AccountQuotas } from '../domain/quotas.js';
import { addWorkspaceMembers } from '../domain/workspace.decisions.js';
import type { WorkspaceMembersRequest } from '../workspace-members.js';

/** Adds members of the account to a workspace, all or none. Returns the ids of the users who were added. */
export class AddWorkspaceMembers extends Command<readonly string[]> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly body: WorkspaceMembersRequest,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(AddWorkspaceMembers)
export class AddWorkspaceMembersHandler implements ICommandHandler<AddWorkspaceMembers> {
  constructor(
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(ACCOUNT_QUOTAS) private readonly quotas: AccountQuotas,
  ) {}

  async execute(command: AddWorkspaceMembers): Promise<readonly string[]> {
    const { accountId, idOrSlug, body, origin } = command;
    let added: readonly string[] = [];
    await this.runner.run({
      aggregate: account,
      stream: accountStream(accountId),
      accountId,
      origin,
      decide: (state) => {
        const events = addWorkspaceMembers(state, idOrSlug, body.user_ids, this.quotas);
        added = events.map(({ data }) => data.user_id);
        return events;
      },
    });
    return added;
  }
}
