import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Read } from '../../../kernel/read.js';
import { AccountDirectory } from '../account-directory/account-directory.js';
import type { WorkspaceRecord } from '../domain/workspace.js';

/** Reads a workspace of an account by its id or its slug. */
export class ReadWorkspace extends Query<Read<WorkspaceRecord>> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
  ) {
    super();
  }
}

@QueryHandler(ReadWorkspace)
export class ReadWorkspaceHandler implements IQueryHandler<ReadWorkspace> {
  constructor(@Inject(AccountDirectory) private readonly directory: AccountDirectory) {}

  execute({ accountId, idOrSlug }: ReadWorkspace): Promise<Read<WorkspaceRecord>> {
    return this.directory.workspaceOf(accountId, idOrSlug);
  }
}
