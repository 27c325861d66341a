import { Query } from '@nestjs/cqrs';
import type { EndUserPage, PageRange } from '../end-user-directory/end-user-directory.js';

/** A page of an organization's end users, oldest first. */
export class ListEndUsers extends Query<EndUserPage> {
  constructor(
    readonly organizationId: string,
    readonly page: PageRange & {
      /** Only this tracking string; all when undefined. */
      readonly user: string | undefined;
    },
  ) {
    super();
  }
}
