import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  EndUserDirectory,
  type EndUserPage,
  type PageRange,
} from '../end-user-directory/end-user-directory.js';

/** Lists the end users of an organization in order of registration. */
export class ListEndUsers extends Query<EndUserPage> {
  constructor(
    readonly organizationId: string,
    readonly page: PageRange & {
      /** The tracking string of the only end user to list; undefined to list all end users. */
      readonly user: string | undefined;
    },
  ) {
    super();
  }
}

@QueryHandler(ListEndUsers)
export class ListEndUsersHandler implements IQueryHandler<ListEndUsers> {
  constructor(@Inject(EndUserDirectory) private readonly directory: EndUserDirectory) {}

  execute({ organizationId, page: { user, ...range } }: ListEndUsers): Promise<EndUserPage> {
    return user === undefined
      ? this.directory.page(organizationId, range)
      : this.directory.matching(organizationId, user, range);
  }
}
