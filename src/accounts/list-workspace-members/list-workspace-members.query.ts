import { Query } from '@nestjs/cqrs';
import type { Read } from '../account-directory/account-directory.js';

/** The user ids of the members of a workspace, in the order in which they joined. */
export class ListWorkspaceMembers extends Query<Read<readonly string[]>> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
  ) {
    super();
  }
}
