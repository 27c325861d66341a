import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  WORKSPACE_DIRECTORY,
  type WorkspaceDirectory,
} from '../../accounts/published/workspace-directory.js';
import { unknownWorkspace } from '../domain/key.js';
import { effectiveKeys } from '../effective-keys.js';
import { KeyDirectory, type KeyPage } from '../key-directory/key-directory.js';
import type { KeyPageWanted } from '../key-directory/key-pages.js';

const ALL_WORKSPACES = 'all';

/**
 * Lists keys of an account, newest first (docs/api.md 3.7). Without a filter and a workspace, lists the keys of the
 * default workspace.
 */
export class ListKeys extends Query<KeyPage> {
  constructor(
    readonly account: { readonly accountId: string; readonly defaultWorkspaceId: string },
    /** The wanted page. When `workspaceId` is ALL_WORKSPACES, the list has the keys of all workspaces. */
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

  async execute({ account, page }: ListKeys): Promise<KeyPage> {
    const { accountId, defaultWorkspaceId } = account;
    const { workspaceId = page.filter ? ALL_WORKSPACES : defaultWorkspaceId } = page;
    if (workspaceId === ALL_WORKSPACES) {
      const found = await this.directory.page(accountId, { ...page, workspaceId: undefined });
      return effectiveKeys(this.workspaces, account, found);
    }
    if (workspaceId !== defaultWorkspaceId) {
      const { found, isLate } = await this.workspaces.hasWorkspace(accountId, workspaceId);
      if (!found) throw unknownWorkspace(isLate);
    }
    return this.directory.page(accountId, { ...page, workspaceId });
  }
}
