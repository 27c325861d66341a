import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountFacts } from '../../accounts/published/account-facts.js';
import { type Key, ownKey, unknownWorkspace } from '../domain/key.js';
import { type MoveFacts, updateKey } from '../domain/key-updates.js';
import { type Homes, type Moved, undoUpdate } from '../domain/undo-update.js';
import { Keys } from '../keys.js';
import { UpdateKey } from './update-key.command.js';
import type { UpdateKeyRequest } from './update-key.request.js';

@CommandHandler(UpdateKey)
export class UpdateKeyHandler implements ICommandHandler<UpdateKey> {
  constructor(
    @Inject(Keys) private readonly keys: Keys,
    @Inject(AccountFacts) private readonly accounts: AccountFacts,
  ) {}

  async execute(command: UpdateKey): Promise<Key> {
    const { accountId, hash, changes, origin } = command;
    const seen: Key[] = [];
    const state = await this.keys.change(hash, accountId, origin, async (before) => {
      const own = ownKey(before, accountId);
      seen.push(own);
      return updateKey(own, changes, await this.#moveFacts(own, changes));
    });
    const after = ownKey(state, accountId);
    const before = seen.at(-1);
    if (before && before.workspace_id !== after.workspace_id) {
      await this.#checkAgain(command, { before, after });
    }
    return after;
  }

  async #moveFacts(own: Key, wanted: UpdateKeyRequest): Promise<MoveFacts | undefined> {
    if (wanted.workspace_id === undefined) return undefined;
    const { account_id, workspace_id } = own;
    const both = [workspace_id, wanted.workspace_id];
    const [from, to] = await this.accounts.workspaces(account_id, both);
    return {
      from: from?.restrictions ?? (await this.accounts.goneRestrictions(account_id, workspace_id)),
      to: to && { restrictions: to.restrictions, admitsCreator: to.admits(own.creator_user_id) },
    };
  }

  /** The workspace may have gone while the key came: then it is as if the move had come later (ADR 12). */
  async #checkAgain(command: UpdateKey, moved: Moved): Promise<void> {
    const { accountId } = command;
    let { workspace_id } = moved.after;
    for (let refused = false; ; refused = true) {
      const [workspace] = await this.accounts.workspaces(accountId, [workspace_id]);
      if (workspace && refused) throw unknownWorkspace();
      if (workspace) return;
      // Where the key goes back to may be deleted meanwhile too, but for the default workspace.
      ({ workspace_id } = await this.#undo(command, moved));
    }
  }

  async #undo({ accountId, hash, origin }: UpdateKey, moved: Moved): Promise<Key> {
    const state = await this.keys.change(hash, accountId, origin, async (now) => {
      const own = ownKey(now, accountId);
      return undoUpdate(own, moved, await this.#homes(own, moved.before));
    });
    return ownKey(state, accountId);
  }

  async #homes(own: Key, before: Key): Promise<Homes> {
    const ids = [own.workspace_id, before.workspace_id, undefined];
    const [current, previous, fallback] = await this.accounts.workspaces(own.account_id, ids);
    if (!fallback) throw new Error('an account without a default workspace');
    return { current: !!current, previous: !!previous, defaultId: fallback.id };
  }
}
