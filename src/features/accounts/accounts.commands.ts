import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Decided, DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../kernel/metadata.js';
import {
  addMember,
  createAccount,
  createManagementKey,
  requireManagementKey,
  type NewAccount,
  type NewManagementKey,
  removeMember,
  revokeManagementKey,
} from './domain/account.decisions.js';
import type { AccountEvent } from './domain/account.events.js';
import {
  account,
  type AccountState,
  requireAccount,
  type ManagementKey,
} from './domain/account.js';
import { ACCOUNT_QUOTAS, type AccountQuotas } from './domain/quotas.js';
import { reserveManagementKey } from '../keys/published/reserved-strings.js';
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
        await reserveManagementKey(this.runner, accountId, hash, origin);
        return events;
      },
      expectNew: true,
    });
    return { accountId, defaultWorkspaceId };
  }
}

export class AddMember extends Command<void> {
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

  async execute({ accountId, userId, origin }: AddMember): Promise<void> {
    await decideAccount(this.runner, accountId, origin, (state) =>
      addMember(state, userId, this.quotas),
    );
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
        removeMember(before, userId),
      );
      // One decision ends at most as many memberships as one append can hold.
      if (!requireAccount(state).members.has(userId)) return;
    }
  }
}

export class CreateManagementKey extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly key: NewManagementKey,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(CreateManagementKey)
export class CreateManagementKeyHandler implements ICommandHandler<CreateManagementKey> {
  constructor(
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    @Inject(ACCOUNT_QUOTAS) private readonly quotas: AccountQuotas,
  ) {}

  async execute({ accountId, key, origin }: CreateManagementKey): Promise<void> {
    await decideAccount(this.runner, accountId, origin, async (state) => {
      const events = createManagementKey(state, key, this.quotas);
      await reserveManagementKey(this.runner, accountId, key.hash, origin);
      return events;
    });
  }
}

export class RevokeManagementKey extends Command<ManagementKey> {
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
  constructor(@Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner) {}

  async execute({ accountId, hash, origin }: RevokeManagementKey): Promise<ManagementKey> {
    const { state } = await decideAccount(this.runner, accountId, origin, (before) =>
      revokeManagementKey(before, hash),
    );
    return requireManagementKey(requireAccount(state), hash);
  }
}

export function decideAccount(
  runner: DecisionRunner,
  accountId: string,
  origin: Origin,
  decide: (state: AccountState) => readonly AccountEvent[] | Promise<readonly AccountEvent[]>,
): Promise<Decided<AccountState>> {
  return runner.run({ aggregate: account, id: accountId, accountId, origin, decide });
}
