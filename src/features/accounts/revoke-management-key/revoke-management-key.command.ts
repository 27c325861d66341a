import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../../kernel/metadata.js';
import { existingManagementKey, revokeManagementKey } from '../domain/account.decisions.js';
import { account, accountStream, existing, type ManagementKey } from '../domain/account.js';

/** Revokes a management key for good. Returns the key. */
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
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  async execute({ accountId, hash, origin }: RevokeManagementKey): Promise<ManagementKey> {
    const { state } = await this.runner.run({
      aggregate: account,
      stream: accountStream(accountId),
      accountId,
      origin,
      decide: (before) => revokeManagementKey(before, hash),
    });
    return existingManagementKey(existing(state), hash);
  }
}
