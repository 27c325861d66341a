import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { isOutOfReach } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import { START } from '../../kernel/position.js';
import { AccountFacts, type AccountWithDefault } from '../accounts/published/account-facts.js';
import { type KeyChanges, updateKey, type WorkspaceFacts } from './domain/key-updates.js';
import {
  createKey,
  type KeyContent,
  keyContent,
  requireOwnHash,
  requireSameContent,
} from './domain/key-creation.js';
import { deleteKey, effectiveKey, key, type Key, keyStream, ownKey } from './domain/key.js';
import { KeyQuota } from './key-quota.js';
import { contentOf, type CreateKeyRequest } from './key.fields.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';

/** The account of a command, and the user who creates keys unless the body names another one. */
interface Creator extends AccountWithDefault {
  readonly userId: string;
}

export interface KeyCreation {
  readonly key: Key;
  /** False when the same was created before. */
  readonly isNew: boolean;
}

/**
 * Creates an API key, once, and returns it. The command has only the hash of the key string, never
 * the key string. Throws a Refusal when the hash is used by something else or the key was created
 * with other content, when the workspace is unknown, and when the quota of keys is used up.
 */
export class CreateKey extends Command<KeyCreation> {
  constructor(
    readonly creator: Creator,
    readonly hash: string,
    readonly body: CreateKeyRequest,
    readonly origin: Origin,
    /** Whether the string was just minted, so that nothing can have its hash. */
    readonly isMinted: boolean,
  ) {
    super();
  }
}

@CommandHandler(CreateKey)
export class CreateKeyHandler implements ICommandHandler<CreateKey> {
  constructor(
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    private readonly accounts: AccountFacts,
    private readonly quota: KeyQuota,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(command: CreateKey): Promise<KeyCreation> {
    const { creator, hash: keyHash, body, origin, isMinted } = command;
    const { accountId, userId } = creator;
    const wanted = {
      hash: keyHash,
      account_id: accountId,
      creator_user_id: body.creator_user_id ?? userId,
      ...contentOf(body),
    };
    const { state, position } = await this.runner.run({
      aggregate: key,
      id: keyHash,
      accountId,
      origin,
      expectNew: isMinted,
      decide: async (before) => {
        if (before !== null) {
          // A known hash is answered from what was stored, whatever the account has by now.
          requireOwnHash(before, accountId, this.clock.now());
          await this.#requireSame(command, wanted);
          return [];
        }
        const workspace = await this.accounts.workspace(accountId, body.workspace_id ?? undefined);
        const events = createKey(wanted, workspace?.id);
        await this.quota.admit(accountId);
        return events;
      },
    });
    const created = await readEffectiveKey(this.accounts, creator, ownKey(state, accountId));
    return { key: created, isNew: position !== START };
  }

  /** @throws Refusal when the key of the hash was created with other content. */
  async #requireSame(
    { creator, body }: CreateKey,
    wanted: Omit<KeyContent, 'workspace_id'>,
  ): Promise<void> {
    const { accountId, defaultWorkspaceId } = creator;
    const recorded = await this.runner.replay(keyContent, keyStream(wanted.hash), accountId);
    if (!recorded) throw new Error('a key that exists was created');
    requireSameContent(recorded, {
      ...wanted,
      creator_user_id: body.creator_user_id ?? recorded.creator_user_id,
      workspace_id: body.workspace_id ?? defaultWorkspaceId,
    });
  }
}

export class UpdateKey extends Command<Key> {
  constructor(
    readonly account: AccountWithDefault,
    readonly hash: string,
    readonly changes: KeyChanges,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(UpdateKey)
export class UpdateKeyHandler implements ICommandHandler<UpdateKey> {
  constructor(
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    private readonly accounts: AccountFacts,
  ) {}

  async execute({ account, hash, changes, origin }: UpdateKey): Promise<Key> {
    const { accountId } = account;
    const { state } = await this.runner.run({
      aggregate: key,
      id: hash,
      accountId,
      origin,
      decide: async (before) => {
        const own = ownKey(before, accountId);
        return updateKey(own, changes, await this.#workspaceFacts(own, changes));
      },
    });
    return readEffectiveKey(this.accounts, account, ownKey(state, accountId));
  }

  async #workspaceFacts(own: Key, wanted: KeyChanges): Promise<WorkspaceFacts | undefined> {
    if (wanted.workspace_id === undefined && wanted.disabled !== false) return undefined;
    const { account_id, workspace_id, creator_user_id } = own;
    const target_id = wanted.workspace_id ?? workspace_id;
    const found = await this.accounts.workspaces(account_id, [workspace_id, target_id]);
    const from = found.get(workspace_id);
    const to = found.get(target_id);
    if (!to) return { from: [], to };
    return {
      from:
        from?.restrictions ?? (await this.accounts.restrictionsOfDeleted(account_id, workspace_id)),
      to: { restrictions: to.restrictions, admitsCreator: to.admits(creator_user_id) },
    };
  }
}

export class DeleteKey extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly hash: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(DeleteKey)
export class DeleteKeyHandler implements ICommandHandler<DeleteKey> {
  constructor(@Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner) {}

  async execute({ accountId, hash, origin }: DeleteKey): Promise<void> {
    await this.runner.run({
      aggregate: key,
      id: hash,
      accountId,
      origin,
      decide: (before) => deleteKey(ownKey(before, accountId)),
    });
  }
}

/**
 * Returns a key as callers see it, after a decision about the key was stored. The workspace of the
 * key may have been deleted meanwhile (ADR 22). When the log is unavailable, the function returns
 * the key unchanged and does not throw, because the decision is stored.
 */
export async function readEffectiveKey(
  accounts: AccountFacts,
  account: AccountWithDefault,
  key: Key,
): Promise<Key> {
  try {
    return effectiveKey(key, await accounts.liveWorkspaces(account, [key.workspace_id]));
  } catch (error) {
    if (isOutOfReach(error)) return key;
    throw error;
  }
}
