import { Query } from '@nestjs/cqrs';
import type { Paging } from '../../http/paging.js';
import type { Read } from '../../kernel/read.js';
import type { MemberPage } from '../account-directory/account-directory.js';

/** A page of the members of a workspace, in the order in which they joined. */
export class ListWorkspaceMembers extends Query<Read<MemberPage>> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly page: Paging,
  ) {
    super();
  }
}
