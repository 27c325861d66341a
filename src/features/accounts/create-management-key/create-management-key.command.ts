import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../../kernel/metadata.js';
import { createManagementKey, type NewManagementKey } from '../domain/account.decisions.js';
import { account, accountStream } from '../domain/account.js';
import { ACCOUNT_QUOTAS, type AccountQuotas } from '../domain/quotas.js';

/** Creates a management key for a member of an account. The command has only the hash of the key, not the key itself. */
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
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(ACCOUNT_QUOTAS) private readonly quotas: AccountQuotas,
  ) {}

  async execute({ accountId, key, origin }: CreateManagementKey): Promise<void> {
    await this.runner.run({
      aggregate: account,
      stream: accountStream(accountId),
      accountId,
      origin,
      decide: (state) => createManagementKey(state, key, this.quotas),
    });
  }
}
