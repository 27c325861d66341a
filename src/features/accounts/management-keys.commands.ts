import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { notFound } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import { START } from '../../kernel/position.js';
import { isReserved, reserveString } from '../keys/published/reserved-strings.js';
import { decideAccount, mustKeepAdmin } from './accounts.commands.js';
import type { AccountEvent } from './domain/account.events.js';
import { account, type AccountState, accountStream, requireAccount } from './domain/account.js';
import {
  createManagementKey,
  type ManagementKeyRecord,
  type NewManagementKey,
  recordedKey,
  requireSameKey,
  revokeManagementKey,
} from './domain/management-key.js';
import { ACCOUNT_QUOTAS, type AccountQuotas } from './domain/quotas.js';

interface KeyMaker {
  /** When the key of the caller expires; null for never, and for the operator. */
  readonly expiresAt: string | null;
  /** Whether the request names the user of the new key. If not, a repeat accepts any user. */
  readonly namesUser: boolean;
}

export interface ManagementKeyCreation {
  readonly key: ManagementKeyRecord;
  /** False when the same was created before. */
  readonly isNew: boolean;
}

/**
 * Creates a management key for a member of an account, once, from the hash of the key string alone.
 * Throws a Refusal when the hash is used by something else or the key was created with other
 * content, when the user is no member, and when a bound of the maker or a quota forbids it.
 */
export class CreateManagementKey extends Command<ManagementKeyCreation> {
  constructor(
    readonly accountId: string,
    readonly wanted: NewManagementKey,
    readonly origin: Origin,
    readonly maker: KeyMaker = { expiresAt: null, namesUser: true },
  ) {
    super();
  }
}

@CommandHandler(CreateManagementKey)
export class CreateManagementKeyHandler implements ICommandHandler<CreateManagementKey> {
  constructor(
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    @Inject(ACCOUNT_QUOTAS) private readonly quotas: AccountQuotas,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute(command: CreateManagementKey): Promise<ManagementKeyCreation> {
    const { accountId, wanted, origin, maker } = command;
    const { hash } = wanted;
    const now = this.clock.now();
    const reservation = { account_id: accountId, key_hash: null };
    const bounds = { quotas: this.quotas, now, until: maker.expiresAt };
    const created_at = now.toISOString();
    const created_by = origin.actor.user_id;
    let key: ManagementKeyRecord = { ...wanted, created_at, created_by, revoked_at: null };
    // The string is reserved before the log refuses what was decided on an old state in memory.
    await this.runner.load(account, accountId, accountId);
    const decide = async (state: AccountState): Promise<readonly AccountEvent[]> => {
      // A known hash is answered from what was stored, whatever the account has by now. What was
      // recorded cannot change between here and the append, which would conflict.
      const isKnown = await isReserved(this.runner, hash, reservation);
      const recorded = isKnown ? await readRecord(this.runner, accountId, hash) : null;
      if (recorded) {
        const { user_id } = maker.namesUser ? wanted : recorded;
        requireSameKey(recorded, { ...wanted, user_id });
        key = recorded;
        return [];
      }
      const events = createManagementKey(state, wanted, bounds);
      await reserveString(this.runner, hash, reservation, origin);
      return events;
    };
    const { position } = await decideAccount(this.runner, accountId, origin, decide, now);
    return { key, isNew: position !== START };
  }
}

function readRecord(
  runner: DecisionRunner,
  accountId: string,
  hash: string,
): Promise<ManagementKeyRecord | null> {
  return runner.replay(recordedKey(hash), accountStream(accountId), accountId);
}

/**
 * Revokes a management key permanently, and returns the time; null if it was revoked before. Throws
 * a Refusal for an unknown key, and if it must keep an admin key and would leave none.
 */
export class RevokeManagementKey extends Command<string | null> {
  constructor(
    readonly accountId: string,
    readonly hash: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RevokeManagementKey)
export class RevokeManagementKeyHandler implements ICommandHandler<RevokeManagementKey> {
  constructor(
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async execute({ accountId, hash, origin }: RevokeManagementKey): Promise<string | null> {
    const now = this.clock.now();
    const decide = async (state: AccountState): Promise<readonly AccountEvent[]> => {
      if (!requireAccount(state).managementKeys.has(hash)) {
        const recorded = await readRecord(this.runner, accountId, hash);
        if (!recorded) throw notFound();
        if (recorded.revoked_at !== null) return [];
      }
      return revokeManagementKey(state, hash, mustKeepAdmin(origin));
    };
    const { position } = await decideAccount(this.runner, accountId, origin, decide, now);
    return position === START ? null : now.toISOString();
  }
}
