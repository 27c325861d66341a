import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import { deleteKey, key, keyStream, ownKey } from '../domain/key.js';
import { DeleteKey } from './delete-key.command.js';

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
