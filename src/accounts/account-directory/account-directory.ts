import { Inject, Injectable } from '@nestjs/common';
import { ReadYourWrites } from '../../projections/read-your-writes.js';
import { READ_STORE, type ReadModel, type ReadStore } from '../../read-store/read-store.js';
import {
  type AccountDocument,
  accountDirectory,
  type ManagementKeyDocument,
  type WorkspaceDocument,
} from './account-directory.projection.js';

const EVERYTHING = Number.MAX_SAFE_INTEGER;

/** Reads of the account directory; each sees every write that was answered before it. */
@Injectable()
export class AccountDirectory {
  readonly #model: ReadModel;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(ReadYourWrites) private readonly readYourWrites: ReadYourWrites,
  ) {
    this.#model = store.readModel(accountDirectory);
  }

  async accounts(): Promise<AccountDocument[]> {
    await this.readYourWrites.settled(accountDirectory.name);
    const range = { index: 'by_creation', equals: {}, limit: EVERYTHING };
    return this.#model.find<AccountDocument>('accounts', range);
  }

  workspaces(accountId: string): Promise<WorkspaceDocument[]> {
    return this.#ofAccount<WorkspaceDocument>('workspaces', accountId);
  }

  managementKeys(accountId: string): Promise<ManagementKeyDocument[]> {
    return this.#ofAccount<ManagementKeyDocument>('management_keys', accountId);
  }

  account(accountId: string): Promise<AccountDocument | undefined> {
    return this.#get<AccountDocument>('accounts', accountId);
  }

  workspace(workspaceId: string): Promise<WorkspaceDocument | undefined> {
    return this.#get<WorkspaceDocument>('workspaces', workspaceId);
  }

  managementKey(hash: string): Promise<ManagementKeyDocument | undefined> {
    return this.#get<ManagementKeyDocument>('management_keys', hash);
  }

  /** As `managementKey`, but from what is projected already: for authentication, which has its own patience. */
  async projectedManagementKey(hash: string): Promise<ManagementKeyDocument | undefined> {
    return (await this.#model.get<ManagementKeyDocument>('management_keys', hash))?.document;
  }

  async #ofAccount<Kept extends object>(collection: string, accountId: string): Promise<Kept[]> {
    await this.readYourWrites.settled(accountDirectory.name);
    return this.#model.find<Kept>(collection, {
      index: 'by_account',
      equals: { account_id: accountId },
      limit: EVERYTHING,
    });
  }

  async #get<Kept extends object>(collection: string, key: string): Promise<Kept | undefined> {
    await this.readYourWrites.settled(accountDirectory.name);
    return (await this.#model.get<Kept>(collection, key))?.document;
  }
}
