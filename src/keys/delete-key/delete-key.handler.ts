import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { deleteKey, ownKey } from '../domain/key.js';
import { Keys } from '../keys.js';
import { DeleteKey } from './delete-key.command.js';

@CommandHandler(DeleteKey)
export class DeleteKeyHandler implements ICommandHandler<DeleteKey> {
  constructor(@Inject(Keys) private readonly keys: Keys) {}

  async execute({ accountId, hash, origin }: DeleteKey): Promise<void> {
    await this.keys.change(hash, accountId, origin, (before) =>
      deleteKey(ownKey(before, accountId)),
    );
  }
}
