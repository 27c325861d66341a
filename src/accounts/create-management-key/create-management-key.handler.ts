import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import { createManagementKey } from '../domain/account.decisions.js';
import { CreateManagementKey } from './create-management-key.command.js';

@CommandHandler(CreateManagementKey)
export class CreateManagementKeyHandler implements ICommandHandler<CreateManagementKey> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute({ accountId, hash, userId, name, origin }: CreateManagementKey): Promise<void> {
    await this.accounts.change(accountId, origin, (state) =>
      createManagementKey(state, { hash, userId, name }),
    );
  }
}
