import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Paging } from '../../../kernel/page.js';
import type { Read } from '../../../kernel/read.js';
import { AccountDirectory, type WorkspacePage } from '../account-directory/account-directory.js';

/** Lists workspaces of an account, oldest first. */
export class ListWorkspaces extends Query<Read<WorkspacePage>> {
  constructor(
    readonly accountId: string,
    readonly page: Paging,
  ) {
    super();
  }
}

@QueryHandler(ListWorkspaces)
export class ListWorkspacesHandler implements IQueryHandler<ListWorkspaces> {
  constructor(@Inject(AccountDirectory) private readonly directory: AccountDirectory) {}

  execute({ accountId, page }: ListWorkspaces): Promise<Read<WorkspacePage>> {
    return this.directory.workspacePage(accountId, page);
  }
}
