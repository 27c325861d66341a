import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import { existingManagementKey, revokeManagementKey } from '../domain/account.decisions.js';
import type { ManagementKey } from '../domain/account.js';
import { RevokeManagementKey } from './revoke-management-key.command.js';

@CommandHandler(RevokeManagementKey)
export class RevokeManagementKeyHandler implements ICommandHandler<RevokeManagementKey> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute({ accountId, hash, origin }: RevokeManagementKey): Promise<ManagementKey> {
    const account = await this.accounts.change(accountId, origin, (state) =>
      revokeManagementKey(state, hash),
    );
    return existingManagementKey(account, hash);
  }
}
