import { Injectable } from '@nestjs/common';
import { notFound } from '../../../kernel/errors.js';
import type { Paging } from '../../../kernel/page.js';
import type { Position } from '../../../kernel/position.js';
import type { Read } from '../../../kernel/read.js';
import type { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import type { IndexPart, View } from '../../../event-sourcing/read-store/read-store.js';
import type { WorkspaceDirectory } from '../published/workspace-directory.js';
import {
  type AccountDocument,
  accountDirectory,
  type ManagementKeyDocument,
  type MemberDocument,
  type WorkspaceDocument,
} from './account-directory.projection.js';

const EVERYTHING = Number.MAX_SAFE_INTEGER;

export interface WorkspacePage {
  readonly workspaces: readonly WorkspaceDocument[];
  /** The number of all workspaces of the account, not only of this page. */
  readonly total: number;
}

export interface MemberPage {
  readonly userIds: readonly string[];
  /** The number of all members of the workspace, not only of this page. */
  readonly total: number;
}

/** The queries of the account directory. A query waits, with a time-out, for all writes answered before the query. */
@Injectable()
export class AccountDirectory implements WorkspaceDirectory {
  readonly #model: ReadModel;

  constructor(models: ReadModels) {
    this.#model = models.of(accountDirectory);
  }

  /** Returns all accounts, oldest first. */
  async accounts(): Promise<AccountDocument[]> {
    const range = { index: 'by_creation', equals: {}, limit: EVERYTHING };
    const { found } = await this.#model.read(null, (view) =>
      view.range<AccountDocument>('accounts', range),
    );
    return found.documents;
  }

  /** Returns all workspaces of an account, oldest first. */
  workspaces(accountId: string): Promise<WorkspaceDocument[]> {
    return this.#ofAccount<WorkspaceDocument>('workspaces', accountId);
  }

  /** Returns a page of an account's workspaces, oldest first. */
  workspacePage(accountId: string, paging: Paging): Promise<Read<WorkspacePage>> {
    return this.#model.read(accountId, async (view) => {
      const list = { index: 'by_account', equals: { account_id: accountId } };
      const page = await pageOf<WorkspaceDocument>(view, 'workspaces', list, paging);
      return { workspaces: page.documents, total: page.total };
    });
  }

  hasWorkspace(accountId: string, workspaceId: string): Promise<Read<boolean>> {
    return this.#model.read(accountId, async (view) => {
      const workspace = await view.get<WorkspaceDocument>('workspaces', workspaceId);
      return workspace?.account_id === accountId;
    });
  }

  goneWorkspaces(
    accountId: string,
    ids: readonly string[],
    seenAt: Position,
  ): Promise<ReadonlySet<string>> {
    return this.#model.projected(accountId, async (view) => {
      const known = await view.getMany('workspaces', ids);
      // A generation that is behind `seenAt` may not have every workspace yet.
      const gone = view.checkpoint < seenAt ? [] : ids.filter((id) => !known.has(id));
      return new Set(gone);
    });
  }

  /** Returns a workspace of an account. @throws Refusal when the account has no such workspace. */
  workspaceOf(accountId: string, idOrSlug: string): Promise<Read<WorkspaceDocument>> {
    return this.#model.read(accountId, (view) => ownWorkspace(view, accountId, idOrSlug));
  }

  /**
   * Returns a page of the user ids of a workspace's members, in the order in which the members joined.
   * @throws Refusal when the account has no such workspace.
   */
  workspaceMembers(accountId: string, idOrSlug: string, paging: Paging): Promise<Read<MemberPage>> {
    return this.#model.read(accountId, async (view) => {
      const workspace = await ownWorkspace(view, accountId, idOrSlug);
      const member_of = workspace.is_default ? accountId : workspace.id;
      const list = { index: 'by_joining', equals: { member_of } };
      const { documents, total } = await pageOf<MemberDocument>(view, 'members', list, paging);
      return { userIds: documents.map(({ user_id }) => user_id), total };
    });
  }

  /** Returns all management keys of an account, oldest first, including revoked keys. */
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

  /** Returns the management key with a hash. Does not wait for earlier writes, because authentication waits by itself. */
  projectedManagementKey(hash: string): Promise<ManagementKeyDocument | undefined> {
    return this.#model.projected(null, (view) =>
      view.get<ManagementKeyDocument>('management_keys', hash),
    );
  }

  async #ofAccount<Kept extends object>(collection: string, accountId: string): Promise<Kept[]> {
    const { found } = await this.#model.read(accountId, (view) =>
      view.range<Kept>(collection, {
        index: 'by_account',
        equals: { account_id: accountId },
        limit: EVERYTHING,
      }),
    );
    return found.documents;
  }

  async #get<Kept extends object>(collection: string, key: string): Promise<Kept | undefined> {
    const { found } = await this.#model.read(null, (view) => view.get<Kept>(collection, key));
    return found;
  }
}

/** Returns a page of the documents in a part of an index, and the number of all documents in the part. */
async function pageOf<Kept extends object>(
  view: View,
  collection: string,
  part: IndexPart,
  { offset, limit }: Paging,
): Promise<{ documents: Kept[]; total: number }> {
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
