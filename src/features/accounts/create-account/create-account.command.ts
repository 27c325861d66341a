import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../../kernel/metadata.js';
import { createAccount, type NewAccount } from '../domain/account.decisions.js';
import { account, accountStream } from '../domain/account.js';

export interface CreatedAccount {
  readonly accountId: string;
  readonly defaultWorkspaceId: string;
}

/** Opens an account with its default workspace, its owner and a first management key, all or nothing. */
export class CreateAccount extends Command<CreatedAccount> {
  constructor(
    readonly account: Omit<NewAccount, 'account_id' | 'default_workspace_id'> & {
      /** The id of the account; a new id by default. With a given id, the account is created at most once. */
      readonly account_id?: string;
    },
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(CreateAccount)
export class CreateAccountHandler implements ICommandHandler<CreateAccount> {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  async execute({ account: wanted, origin }: CreateAccount): Promise<CreatedAccount> {
    const accountId = wanted.account_id ?? randomUUID();
    const defaultWorkspaceId = randomUUID();
    const ids = { account_id: accountId, default_workspace_id: defaultWorkspaceId };
    await this.runner.run({
      aggregate: account,
      stream: accountStream(accountId),
      accountId,
      origin,
      decide: (state) => createAccount(state, { ...wanted, ...ids }),
      expectNew: true,
    });
    return { accountId, defaultWorkspaceId };
  }
}
