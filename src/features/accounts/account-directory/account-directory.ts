import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../../../kernel/errors.js';
import type { Page, Paging } from '../../../kernel/page.js';
import type { Read } from '../../../kernel/read.js';
import { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import type { IndexPart, View } from '../../../event-sourcing/read-store/read-store.js';
import {
  type AccountCollections,
  type AccountDocument,
  accountDirectory,
  type ManagementKeyDocument,
  type MemberDocument,
  type WorkspaceDocument,
} from './account-directory.projection.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';

export const ALL: Paging = { offset: 0, limit: Number.MAX_SAFE_INTEGER };

/** The queries of the account directory. Each waits, with a time-out, for earlier writes. */
@Injectable()
export class AccountDirectory {
  readonly #model: ReadModel<AccountCollections>;

  constructor(@Inject(MANAGEMENT.models) models: ReadModels) {
    this.#model = new ReadModel(accountDirectory, models);
  }

  async accounts(): Promise<readonly AccountDocument[]> {
    const list = { index: 'by_creation', equals: {} };
    const { found } = await this.#model.read(null, (view) =>
      pageOfIndex(view, 'accounts', list, ALL),
    );
    return found.documents;
  }

  workspaces(accountId: string, paging: Paging): Promise<Read<Page<WorkspaceDocument>>> {
    const list = { index: 'by_account', equals: { account_id: accountId } };
    return this.#model.read(accountId, (view) => pageOfIndex(view, 'workspaces', list, paging));
  }

  /** Returns a workspace of an account. @throws Refusal when the account has no such workspace. */
  workspaceOf(accountId: string, idOrSlug: string): Promise<Read<WorkspaceDocument>> {
    return this.#model.read(accountId, (view) => ownWorkspace(view, accountId, idOrSlug));
  }

  /** Returns members in the order in which they joined. @throws Refusal for no such workspace. */
  workspaceMembers(
    accountId: string,
    idOrSlug: string,
    paging: Paging,
  ): Promise<Read<Page<MemberDocument>>> {
    return this.#model.read(accountId, async (view) => {
      const workspace = await ownWorkspace(view, accountId, idOrSlug);
      const member_of = workspace.is_default ? accountId : workspace.id;
      const list = { index: 'by_joining', equals: { member_of } };
      return pageOfIndex(view, 'members', list, paging);
    });
  }

  /** Returns a page of the management keys of an account, oldest first. */
  managementKeys(
    accountId: string,
    { includeRevoked, ...paging }: Paging & { readonly includeRevoked: boolean },
  ): Promise<Read<Page<ManagementKeyDocument>>> {
    const own = { account_id: accountId };
    const list = includeRevoked
      ? { index: 'by_account', equals: own }
      : { index: 'by_revocation', equals: { is_revoked: false, ...own } };
    return this.#model.read(accountId, (view) =>
      pageOfIndex(view, 'management_keys', list, paging),
    );
  }

  /** Returns a management key of an account, revoked or not. @throws Refusal for any other hash. */
  managementKeyOf(accountId: string, hash: string): Promise<Read<ManagementKeyDocument>> {
    return this.#model.read(accountId, async (view) => {
      const key = await view.get('management_keys', hash);
      if (key?.account_id !== accountId) throw notFound();
      return key;
    });
  }

  /** Returns a page of the members of an account, in the order in which they joined. */
  members(accountId: string, paging: Paging): Promise<Read<Page<MemberDocument>>> {
    const list = { index: 'by_joining', equals: { member_of: accountId } };
    return this.#model.read(accountId, (view) => pageOfIndex(view, 'members', list, paging));
  }

  async account(accountId: string): Promise<AccountDocument | undefined> {
    const { found } = await this.#model.read(null, (view) => view.get('accounts', accountId));
    return found;
  }

  async workspace(workspaceId: string): Promise<WorkspaceDocument | undefined> {
    const { found } = await this.#model.read(null, (view) => view.get('workspaces', workspaceId));
    return found;
  }

  async managementKey(hash: string): Promise<ManagementKeyDocument | undefined> {
    const { found } = await this.#model.read(null, (view) => view.get('management_keys', hash));
    return found;
  }

  /** Returns the management key with a hash. Waits for no write: authentication waits by itself. */
  projectedManagementKey(hash: string): Promise<ManagementKeyDocument | undefined> {
    return this.#model.readNow(null, (view) => view.get('management_keys', hash));
  }
}

async function pageOfIndex<Name extends keyof AccountCollections>(
  view: View<AccountCollections>,
  collection: Name,
  part: IndexPart,
  { offset, limit }: Paging,
): Promise<Page<AccountCollections[Name]>> {
  const total = await view.count(collection, part);
  if (offset >= total) return { documents: [], total };
  const { documents } = await view.range(collection, { ...part, skip: offset, limit });
  return { documents, total };
}

async function ownWorkspace(
  view: View<AccountCollections>,
  accountId: string,
  idOrSlug: string,
): Promise<WorkspaceDocument> {
  const named = await view.get('workspaces', idOrSlug);
  if (named?.account_id === accountId) return named;
  const { documents } = await view.range('workspaces', {
    index: 'by_slug',
    equals: { account_id: accountId, slug: idOrSlug },
    limit: 1,
  });
  const [found] = documents;
  if (!found) throw notFound();
  return found;
}
