import { Query } from '@nestjs/cqrs';
import type { Read } from '../../kernel/read.js';
import type { WorkspacePage } from '../account-directory/account-directory.js';

/** A page of the workspaces of an account, oldest first. */
export class ListWorkspaces extends Query<Read<WorkspacePage>> {
  constructor(
    readonly accountId: string,
    readonly offset: number,
    readonly limit: number,
  ) {
    super();
  }
}
