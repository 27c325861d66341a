import { Inject, Injectable } from '@nestjs/common';
import { AccountDirectory } from '../account-directory/account-directory.js';

/** What other features may ask of accounts when they answer a query. Sees every write that was answered before it. */
@Injectable()
export class AccountLookup {
  constructor(@Inject(AccountDirectory) private readonly directory: AccountDirectory) {}

  async hasWorkspace(accountId: string, workspaceId: string): Promise<boolean> {
    return (await this.directory.workspace(workspaceId))?.account_id === accountId;
  }
}
