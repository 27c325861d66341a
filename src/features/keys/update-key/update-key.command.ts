import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountFacts } from '../../accounts/published/account-facts.js';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { ChangeableFields } from '../../../edge/http/fields/mapped-fields.js';
import { Whole } from '../../../edge/http/fields/whole-shape.js';
import type { Origin } from '../../../kernel/metadata.js';
import { type Key, key, keyStream, ownKey } from '../domain/key.js';
import { CHANGEABLE, updateKey, type WorkspaceFacts } from '../domain/key-updates.js';
import { effectiveKeyDecided } from '../effective-keys.js';
import { KeyFields } from '../key.fields.js';

/** The body of `PATCH /v1/keys/{hash}` (docs/api.md 4.1). Unknown fields are ignored. */
@Whole({ minProperties: 1 })
export class UpdateKeyRequest extends ChangeableFields(KeyFields, CHANGEABLE) {}

/**
 * Updates an API key: all fields of the body or none. Returns the key after the update.
 * Throws a Refusal when the account has no such key, and when the key may not be moved or enabled.
 */
export class UpdateKey extends Command<Key> {
  constructor(
    readonly account: { readonly accountId: string; readonly defaultWorkspaceId: string },
    readonly hash: string,
    readonly body: UpdateKeyRequest,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(UpdateKey)
export class UpdateKeyHandler implements ICommandHandler<UpdateKey> {
  constructor(
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(AccountFacts) private readonly accounts: AccountFacts,
  ) {}

  async execute({ account, hash, body, origin }: UpdateKey): Promise<Key> {
    const { accountId, defaultWorkspaceId } = account;
    const { state } = await this.runner.run({
      aggregate: key,
      stream: keyStream(hash),
      accountId,
      origin,
      decide: async (before) => {
        const own = ownKey(before, accountId);
        return updateKey(own, body, await this.#workspaceFacts(own, body));
      },
    });
    const updated = ownKey(state, accountId);
    // The default workspace is never deleted.
    if (updated.workspace_id === defaultWorkspaceId) return updated;
    return effectiveKeyDecided(this.accounts, updated);
  }

  async #workspaceFacts(own: Key, wanted: UpdateKeyRequest): Promise<WorkspaceFacts | undefined> {
    if (wanted.workspace_id === undefined && wanted.disabled !== false) return undefined;
    const { account_id, workspace_id, creator_user_id } = own;
    const both = [workspace_id, wanted.workspace_id ?? workspace_id];
    const [from, to] = await this.accounts.workspaces(account_id, both);
    if (!to) return { from: [], to };
    return {
      from: from?.restrictions ?? (await this.accounts.goneRestrictions(account_id, workspace_id)),
      to: { restrictions: to.restrictions, admitsCreator: to.admits(creator_user_id) },
    };
  }
}
