import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import type { Origin } from '../../../kernel/metadata.js';
import { deleteKey, key, keyStream, ownKey } from '../domain/key.js';

/** Deletes an API key of an account for good. Throws a Refusal when the account has no such key. */
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
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  async execute({ accountId, hash, origin }: DeleteKey): Promise<void> {
    await this.runner.run({
      aggregate: key,
      stream: keyStream(hash),
      accountId,
      origin,
      decide: (before) => deleteKey(ownKey(before, accountId)),
    });
  }
}
