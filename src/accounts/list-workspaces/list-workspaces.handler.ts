import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { Read } from '../../kernel/read.js';
import { AccountDirectory, type WorkspacePage } from '../account-directory/account-directory.js';
import { ListWorkspaces } from './list-workspaces.query.js';

@QueryHandler(ListWorkspaces)
export class ListWorkspacesHandler implements IQueryHandler<ListWorkspaces> {
  constructor(@Inject(AccountDirectory) private readonly directory: AccountDirectory) {}

  execute({ accountId, offset, limit }: ListWorkspaces): Promise<Read<WorkspacePage>> {
    return this.directory.workspacePage(accountId, offset, limit);
  }
}
