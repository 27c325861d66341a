import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Refusal, Unavailable } from '../../kernel/errors.js';
import { Accounts } from '../accounts.js';
import { existingWorkspace } from '../domain/workspace.decisions.js';
import {
  decideDeletion,
  deletable,
  startDeletion,
  type StartedDeletion,
} from '../domain/workspace-deletion.js';
import { WORKSPACE_KEYS, type WorkspaceKeys } from '../published/workspace-keys.js';
import { DeleteWorkspace } from './delete-workspace.command.js';

/**
 * Starts the deletion, counts the keys, then decides (ADR 12). A key that comes in before the start is counted; one
 * that comes in after it is taken back by whoever brings it, if the workspace goes. Keys that are there already are
 * looked for before the start, so that a refusal leaves no event.
 */
@CommandHandler(DeleteWorkspace)
export class DeleteWorkspaceHandler implements ICommandHandler<DeleteWorkspace> {
  constructor(
    @Inject(Accounts) private readonly accounts: Accounts,
    @Inject(WORKSPACE_KEYS) private readonly keys: WorkspaceKeys,
  ) {}

  async execute(command: DeleteWorkspace): Promise<void> {
    await this.#refuseCrowded(command);
    const deletion = await this.#start(command);
    let held: number;
    try {
      held = await this.keys.count(deletion.workspaceId);
    } catch (error) {
      await this.#decide(command, deletion, false);
      throw error;
    }
    if (await this.#decide(command, deletion, held === 0)) return;
    if (held > 0) throw new Refusal('workspace-holds-keys');
    throw new Unavailable('key count', new Error('the deletion was cancelled in the meantime'));
  }

  async #refuseCrowded({ accountId, idOrSlug }: DeleteWorkspace): Promise<void> {
    const { id } = deletable(await this.accounts.load(accountId), idOrSlug);
    if ((await this.keys.count(id)) > 0) throw new Refusal('workspace-holds-keys');
  }

  async #start({ accountId, idOrSlug, origin }: DeleteWorkspace): Promise<StartedDeletion> {
    const deletionId = randomUUID();
    const account = await this.accounts.change(accountId, origin, (state) =>
      startDeletion(state, idOrSlug, deletionId),
    );
    const { id, deletion } = existingWorkspace(account, idOrSlug);
    return { workspaceId: id, deletionId: deletion?.id ?? deletionId };
  }

  /** Gives whether the workspace is gone. */
  async #decide(
    { accountId, origin }: DeleteWorkspace,
    deletion: StartedDeletion,
    mayGo: boolean,
  ): Promise<boolean> {
    const { workspaceId, deletionId } = deletion;
    for (;;) {
      const { workspaces } = await this.accounts.change(accountId, origin, (state) =>
        decideDeletion(state, deletion, mayGo),
      );
      const left = workspaces.get(workspaceId);
      if (left?.deletion?.id !== deletionId) return left === undefined;
    }
  }
}
