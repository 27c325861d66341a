import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { Refusal, Unavailable } from '../../../kernel/errors.js';
import { inTime } from '../../../kernel/in-time.js';
import type { Origin } from '../../../kernel/metadata.js';
import { account, accountStream } from '../domain/account.js';
import { deletableWorkspace, deleteWorkspace } from '../domain/workspace.decisions.js';
import { WORKSPACE_KEYS, type WorkspaceKeys } from '../published/workspace-keys.js';

const COUNTED_WITHIN_MS = 2_000;

/**
 * Deletes a workspace for good if it holds no keys. Counts the keys, then deletes in one decision (ADR 22).
 * A key that arrives after the count stays in the deleted workspace and counts as disabled.
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
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(WORKSPACE_KEYS) private readonly keys: WorkspaceKeys,
  ) {}

  async execute({ accountId, idOrSlug, origin }: DeleteWorkspace): Promise<void> {
    const stream = accountStream(accountId);
    const load = () => this.runner.load(account, stream, accountId);
    const { id } = deletableWorkspace(await load(), idOrSlug);
    if ((await this.#countKeys(accountId, id)) > 0) {
      // If another request deleted the workspace before the counted key arrived, the refusal is `not-found`.
      deletableWorkspace(await load(), id);
      throw new Refusal('workspace-holds-keys');
    }
    await this.runner.run({
      aggregate: account,
      stream,
      accountId,
      origin,
      decide: (state) => deleteWorkspace(state, id),
    });
  }

  #countKeys(accountId: string, workspaceId: string): Promise<number> {
    return inTime(
      this.keys.count(accountId, workspaceId),
      COUNTED_WITHIN_MS,
      () => new Unavailable('key count', `it takes longer than ${COUNTED_WITHIN_MS} ms`),
    );
  }
}
