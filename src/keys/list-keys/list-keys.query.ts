import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  WORKSPACE_DIRECTORY,
  type WorkspaceDirectory,
} from '../../accounts/published/workspace-directory.js';
import { unknownWorkspace } from '../domain/key.js';
import { effectiveKeys } from '../effective-keys.js';
import { KeyDirectory, type KeyPage } from '../key-directory/key-directory.js';
import type { KeyFilter, KeyPageWanted } from '../key-directory/key-pages.js';

export const ALL_WORKSPACES = 'all';

/**
 * Lists the keys of an account that match a filter, newest first (docs/api.md 3.7). Without a filter, lists the keys of
 * the default workspace.
 */
export class ListKeys extends Query<KeyPage> {
  constructor(
    readonly account: { readonly accountId: string; readonly defaultWorkspaceId: string },
    /** The wanted page. When `workspace_id` is ALL_WORKSPACES, the list has the keys of all workspaces. */
    readonly page: KeyPageWanted,
  ) {
    super();
  }
}

@QueryHandler(ListKeys)
export class ListKeysHandler implements IQueryHandler<ListKeys> {
  constructor(
    @Inject(KeyDirectory) private readonly directory: KeyDirectory,
    @Inject(WORKSPACE_DIRECTORY) private readonly workspaces: WorkspaceDirectory,
  ) {}

  async execute(query: ListKeys): Promise<KeyPage> {
    const { accountId } = query.account;
    const filter = await this.#filter(query);
    const page = await this.directory.page(accountId, { ...query.page, filter });
    if (filter.workspace_id !== undefined) return page;
    return effectiveKeys(this.workspaces, query.account, page);
  }

  async #filter({ account, page: { filter } }: ListKeys): Promise<KeyFilter> {
    const { accountId, defaultWorkspaceId } = account;
    const { workspace_id, ...others } = filter;
    if (workspace_id === ALL_WORKSPACES) return others;
    if (workspace_id === undefined) {
      const isFiltered = Object.values(others).some((value) => value !== undefined);
      return isFiltered ? others : { workspace_id: defaultWorkspaceId };
    }
    const { found, position } = await this.workspaces.hasWorkspace(accountId, workspace_id);
    if (!found) throw unknownWorkspace(position);
    return filter;
  }
}
