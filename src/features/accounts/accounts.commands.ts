import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Decided, DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { START } from '../../kernel/position.js';
import type { Origin } from '../../kernel/metadata.js';
import {
  addMember,
  createAccount,
  type NewAccount,
  removeMember,
} from './domain/account.decisions.js';
import type { AccountEvent } from './domain/account.events.js';
import { account, type AccountState, requireAccount } from './domain/account.js';
import { ACCOUNT_QUOTAS, type AccountQuotas } from './domain/quotas.js';
import { reserveString } from '../keys/published/reserved-strings.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';

export interface CreatedAccount {
  readonly accountId: string;
  readonly defaultWorkspaceId: string;
}

export class CreateAccount extends Command<CreatedAccount> {
  constructor(
    readonly account: Omit<NewAccount, 'account_id' | 'default_workspace_id'> & {
      /** The id of the account; new by default. A given id creates an account at most once. */
      readonly account_id?: string;
    },
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(CreateAccount)
export class CreateAccountHandler implements ICommandHandler<CreateAccount> {
  constructor(@Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner) {}

  async execute({ account: wanted, origin }: CreateAccount): Promise<CreatedAccount> {
    const accountId = wanted.account_id ?? randomUUID();
    const defaultWorkspaceId = randomUUID();
    const ids = { account_id: accountId, default_workspace_id: defaultWorkspaceId };
    await this.runner.run({
      aggregate: account,
      id: accountId,
      accountId,
      origin,
      decide: async (state) => {
        const events = createAccount(state, { ...wanted, ...ids });
        const { management_key_hash: hash } = wanted;
        const reservation = { account_id: accountId, key_hash: null };
        await reserveString(this.runner, hash, reservation, origin);
        return events;
      },
      expectNew: true,
    });
    return { accountId, defaultWorkspaceId };
  }
}

/** Makes a user a member of an account. Returns false when the user is one already. */
export class AddMember extends Command<boolean> {
  constructor(
    readonly accountId: string,
    readonly userId: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(AddMember)
export class AddMemberHandler implements ICommandHandler<AddMember> {
  constructor(
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    @Inject(ACCOUNT_QUOTAS) private readonly quotas: AccountQuotas,
  ) {}

  async execute({ accountId, userId, origin }: AddMember): Promise<boolean> {
    const { position } = await decideAccount(this.runner, accountId, origin, (state) =>
      addMember(state, userId, this.quotas),
    );
    return position !== START;
  }
}

export class RemoveMember extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly userId: string,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RemoveMember)
export class RemoveMemberHandler implements ICommandHandler<RemoveMember> {
  constructor(@Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner) {}

  async execute({ accountId, userId, origin }: RemoveMember): Promise<void> {
    for (;;) {
      const { state } = await decideAccount(this.runner, accountId, origin, (before) =>
        removeMember(before, userId, mustKeepAdmin(origin)),
      );
      // One decision ends at most as many memberships as one append can hold.
      if (!requireAccount(state).members.has(userId)) return;
    }
  }
}

/** Whether a change must leave a live `admin` key without expiry. The operator can make another. */
export function mustKeepAdmin({ actor }: Origin): boolean {
  return actor.type === 'management-key';
}

export function decideAccount(
  runner: DecisionRunner,
  accountId: string,
  origin: Origin,
  decide: (state: AccountState) => readonly AccountEvent[] | Promise<readonly AccountEvent[]>,
  at?: Date,
): Promise<Decided<AccountState>> {
  const when = at && { at };
  return runner.run({ aggregate: account, id: accountId, accountId, origin, decide, ...when });
}
