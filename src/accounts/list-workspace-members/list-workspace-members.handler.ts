import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { Read } from '../../kernel/read.js';
import { AccountDirectory, type MemberPage } from '../account-directory/account-directory.js';
import { ListWorkspaceMembers } from './list-workspace-members.query.js';

@QueryHandler(ListWorkspaceMembers)
export class ListWorkspaceMembersHandler implements IQueryHandler<ListWorkspaceMembers> {
  constructor(@Inject(AccountDirectory) private readonly directory: AccountDirectory) {}

  execute({ accountId, idOrSlug, page }: ListWorkspaceMembers): Promise<Read<MemberPage>> {
    return this.directory.workspaceMembers(accountId, idOrSlug, page);
  }
}
