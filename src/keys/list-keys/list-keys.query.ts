import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  WORKSPACE_DIRECTORY,
  type WorkspaceDirectory,
} from '../../accounts/published/workspace-directory.js';
import type { Paging } from '../../http/paging.js';
import { unknownWorkspace } from '../domain/key.js';
import { effectiveKeys } from '../effective-keys.js';
import { KeyDirectory, type KeyPage } from '../key-directory/key-directory.js';
import type { KeyScope } from '../key-directory/key-directory.projection.js';

export const ALL_WORKSPACES = 'all';

/** Lists keys of a workspace, or of every workspace of the account, newest first. */
export class ListKeys extends Query<KeyPage> {
  constructor(
    readonly account: { readonly accountId: string; readonly defaultWorkspaceId: string },
    readonly page: Paging & {
      readonly includeDisabled: boolean;
      /** ALL_WORKSPACES for every workspace; the default workspace when undefined. */
      readonly workspaceId: string | undefined;
    },
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
    const { accountId, defaultWorkspaceId } = query.account;
    const scope = await this.#scope(query);
    const page = await this.directory.page({ accountId, scope, ...query.page });
    if (scope.kind === 'workspace') return page;
    return effectiveKeys(this.workspaces, defaultWorkspaceId, page);
  }

  async #scope({ account, page: { workspaceId } }: ListKeys): Promise<KeyScope> {
    const { accountId, defaultWorkspaceId } = account;
    if (workspaceId === ALL_WORKSPACES) return { kind: 'account', id: accountId };
    if (workspaceId === undefined) return { kind: 'workspace', id: defaultWorkspaceId };
    const { found, position } = await this.workspaces.hasWorkspace(accountId, workspaceId);
    if (!found) throw unknownWorkspace(position);
    return { kind: 'workspace', id: workspaceId };
  }
}
