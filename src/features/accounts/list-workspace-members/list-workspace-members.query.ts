import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Paging } from '../../../kernel/page.js';
import type { Read } from '../../../kernel/read.js';
import { AccountDirectory, type MemberPage } from '../account-directory/account-directory.js';

/** Lists members of a workspace, in the order in which they joined. */
export class ListWorkspaceMembers extends Query<Read<MemberPage>> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly page: Paging,
  ) {
    super();
  }
}

@QueryHandler(ListWorkspaceMembers)
export class ListWorkspaceMembersHandler implements IQueryHandler<ListWorkspaceMembers> {
  constructor(@Inject(AccountDirectory) private readonly directory: AccountDirectory) {}

  execute({ accountId, idOrSlug, page }: ListWorkspaceMembers): Promise<Read<MemberPage>> {
    return this.directory.workspaceMembers(accountId, idOrSlug, page);
  }
}
