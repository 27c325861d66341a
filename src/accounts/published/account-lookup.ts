import { Inject, Injectable } from '@nestjs/common';
import { AccountDirectory, type Read } from '../account-directory/account-directory.js';

/** What other features may ask of accounts when they answer a query. Sees every write that was answered before it. */
@Injectable()
export class AccountLookup {
  constructor(@Inject(AccountDirectory) private readonly directory: AccountDirectory) {}

  hasWorkspace(accountId: string, workspaceId: string): Promise<Read<boolean>> {
    return this.directory.hasWorkspace(accountId, workspaceId);
  }
}
