import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import {
  WORKSPACE_DIRECTORY,
  type WorkspaceDirectory,
} from '../../accounts/published/workspace-directory.js';
import { unknownWorkspace } from '../domain/key.js';
import { effectiveKeys } from '../effective-keys.js';
import { KeyDirectory, type KeyPage } from '../key-directory/key-directory.js';
import type { KeyScope } from '../key-directory/key-directory.projection.js';
import { ALL_WORKSPACES, ListKeys } from './list-keys.query.js';

@QueryHandler(ListKeys)
export class ListKeysHandler implements IQueryHandler<ListKeys> {
  constructor(
    @Inject(KeyDirectory) private readonly directory: KeyDirectory,
    @Inject(WORKSPACE_DIRECTORY) private readonly workspaces: WorkspaceDirectory,
  ) {}

  async execute(query: ListKeys): Promise<KeyPage> {
    const scope = await this.#scope(query);
    const page = await this.directory.page({ scope, ...query.page });
    if (scope.kind === 'workspace') return page;
    return effectiveKeys(this.workspaces, query.account.defaultWorkspaceId, page);
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
