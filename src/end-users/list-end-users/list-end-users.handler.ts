import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { EndUserDirectory, type EndUserPage } from '../end-user-directory/end-user-directory.js';
import { ListEndUsers } from './list-end-users.query.js';

@QueryHandler(ListEndUsers)
export class ListEndUsersHandler implements IQueryHandler<ListEndUsers> {
  constructor(@Inject(EndUserDirectory) private readonly directory: EndUserDirectory) {}

  execute({ organizationId, page: { user, ...range } }: ListEndUsers): Promise<EndUserPage> {
    return user === undefined
      ? this.directory.page(organizationId, range)
      : this.directory.matching(organizationId, user, range);
  }
}
