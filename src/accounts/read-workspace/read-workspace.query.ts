import { Query } from '@nestjs/cqrs';
import type { Read } from '../../kernel/read.js';
import type { WorkspaceDocument } from '../account-directory/account-directory.projection.js';

/** One workspace of an account. */
export class ReadWorkspace extends Query<Read<WorkspaceDocument>> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
  ) {
    super();
  }
}
