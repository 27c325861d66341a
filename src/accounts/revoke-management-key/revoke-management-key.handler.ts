import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import { revokeManagementKey } from '../domain/account.decisions.js';
import { RevokeManagementKey } from './revoke-management-key.command.js';

@CommandHandler(RevokeManagementKey)
export class RevokeManagementKeyHandler implements ICommandHandler<RevokeManagementKey> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute({ accountId, hash, origin }: RevokeManagementKey): Promise<void> {
    await this.accounts.change(accountId, origin, (state) => revokeManagementKey(state, hash));
  }
}
