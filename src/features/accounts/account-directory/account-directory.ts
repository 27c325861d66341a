import { Injectable } from '@nestjs/common';
import { notFound } from '../../../kernel/errors.js';
import type { Page, Paging } from '../../../kernel/page.js';
import type { Read } from '../../../kernel/read.js';
import type { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import type { IndexPart, View } from '../../../event-sourcing/read-store/read-store.js';
import {
  type AccountDocument,
  accountDirectory,
  type ManagementKeyDocument,
  type MemberDocument,
  type WorkspaceDocument,
} from './account-directory.projection.js';

export const ALL: Paging = { offset: 0, limit: Number.MAX_SAFE_INTEGER };

/** The queries of the account directory. A query waits, with a time-out, for all writes answered before the query. */
@Injectable()
export class AccountDirectory {
  readonly #model: ReadModel;

  constructor(models: ReadModels) {
    this.#model = models.of(accountDirectory);
  }

  /** Returns all accounts, oldest first. */
  async accounts(): Promise<readonly AccountDocument[]> {
    const list = { index: 'by_creation', equals: {} };
    const { found } = await this.#model.read(null, (view) =>
      pageOf<AccountDocument>(view, 'accounts', list, ALL),
    );
    return found.documents;
  }

  /** Returns a page of an account's workspaces, oldest first. */
  workspaces(accountId: string, paging: Paging): Promise<Read<Page<WorkspaceDocument>>> {
    const list = { index: 'by_account', equals: { account_id: accountId } };
    return this.#model.read(accountId, (view) => pageOf(view, 'workspaces', list, paging));
  }

  /** Returns a workspace of an account. @throws Refusal when the account has no such workspace. */
  workspaceOf(accountId: string, idOrSlug: string): Promise<Read<WorkspaceDocument>> {
    return this.#model.read(accountId, (view) => ownWorkspace(view, accountId, idOrSlug));
  }

  /**
   * Returns a page of a workspace's members, in the order in which they joined.
   * @throws Refusal when the account has no such workspace.
   */
  workspaceMembers(
    accountId: string,
    idOrSlug: string,
    paging: Paging,
  ): Promise<Read<Page<MemberDocument>>> {
    return this.#model.read(accountId, async (view) => {
      const workspace = await ownWorkspace(view, accountId, idOrSlug);
      const member_of = workspace.is_default ? accountId : workspace.id;
      const list = { index: 'by_joining', equals: { member_of } };
      return pageOf(view, 'members', list, paging);
    });
  }

  /** Returns all management keys of an account, oldest first, including revoked keys. */
  async managementKeys(accountId: string): Promise<readonly ManagementKeyDocument[]> {
    const list = { index: 'by_account', equals: { account_id: accountId } };
    const { found } = await this.#model.read(accountId, (view) =>
      pageOf<ManagementKeyDocument>(view, 'management_keys', list, ALL),
    );
    return found.documents;
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

  /** Returns the management key with a hash. Does not wait for earlier writes, because authentication waits by itself. */
  projectedManagementKey(hash: string): Promise<ManagementKeyDocument | undefined> {
    return this.#model.projected(null, (view) =>
      view.get<ManagementKeyDocument>('management_keys', hash),
    );
  }

  async #get<Kept extends object>(collection: string, key: string): Promise<Kept | undefined> {
    const { found } = await this.#model.read(null, (view) => view.get<Kept>(collection, key));
    return found;
  }
}

async function pageOf<Kept extends object>(
  view: View,
  collection: string,
  part: IndexPart,
  { offset, limit }: Paging,
): Promise<Page<Kept>> {
  const total = await view.count(collection, part);
  if (offset >= total) return { documents: [], total };
  const { documents } = await view.range<Kept>(collection, { ...part, skip: offset, limit });
  return { documents, total };
}

async function ownWorkspace(
  view: View,
  accountId: string,
  idOrSlug: string,
): Promise<WorkspaceDocument> {
  const named = await view.get<WorkspaceDocument>('workspaces', idOrSlug);
  if (named?.account_id === accountId) return named;
  const { documents } = await view.range<WorkspaceDocument>('workspaces', {
    index: 'by_slug',
    equals: { account_id: accountId, slug: idOrSlug },
    limit: 1,
  });
  const [found] = documents;
  if (!found) throw notFound();
  return found;
}
