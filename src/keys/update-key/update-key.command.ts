import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AccountFacts } from '../../accounts/published/account-facts.js';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import { ChangeableFields } from '../../http/mapped-fields.js';
import { Whole } from '../../http/whole-shape.js';
import type { Origin } from '../../kernel/metadata.js';
import { type Key, key, keyStream, ownKey } from '../domain/key.js';
import { CHANGEABLE, type MoveFacts, updateKey } from '../domain/key-updates.js';
import { KeyFields } from '../key.fields.js';

/** The body of `PATCH /v1/keys/{hash}` (docs/api.md 4.1). Unknown fields are ignored. */
@Whole({ minProperties: 1 })
export class UpdateKeyRequest extends ChangeableFields(KeyFields, CHANGEABLE) {}

/**
 * Updates an API key: all fields of the body or none. Gives the key after the update.
 * Throws a Refusal when the account has no such key, and when the key may not move.
 */
export class UpdateKey extends Command<Key> {
  constructor(
    readonly accountId: string,
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

  async execute({ accountId, hash, body, origin }: UpdateKey): Promise<Key> {
    const { state } = await this.runner.run({
      aggregate: key,
      stream: keyStream(hash),
      accountId,
      origin,
      decide: async (before) => {
        const own = ownKey(before, accountId);
        return updateKey(own, body, await this.#moveFacts(own, body));
      },
    });
    return ownKey(state, accountId);
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
}
