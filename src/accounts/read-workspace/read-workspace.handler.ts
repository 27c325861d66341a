import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import type { Read } from '../../kernel/read.js';
import { AccountDirectory } from '../account-directory/account-directory.js';
import type { WorkspaceDocument } from '../account-directory/account-directory.projection.js';
import { ReadWorkspace } from './read-workspace.query.js';

@QueryHandler(ReadWorkspace)
export class ReadWorkspaceHandler implements IQueryHandler<ReadWorkspace> {
  constructor(@Inject(AccountDirectory) private readonly directory: AccountDirectory) {}

  execute({ accountId, idOrSlug }: ReadWorkspace): Promise<Read<WorkspaceDocument>> {
    return this.directory.workspaceOf(accountId, idOrSlug);
  }
}
