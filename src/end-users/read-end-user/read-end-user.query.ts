import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EndUserDirectory, type FoundEndUser } from '../end-user-directory/end-user-directory.js';

/** Reads one end user of an organization, active or not. `endUser` is undefined for an unknown tracking string. */
export class ReadEndUser extends Query<FoundEndUser> {
  constructor(
    readonly organizationId: string,
    readonly user: string,
  ) {
    super();
  }
}

@QueryHandler(ReadEndUser)
export class ReadEndUserHandler implements IQueryHandler<ReadEndUser> {
  constructor(@Inject(EndUserDirectory) private readonly directory: EndUserDirectory) {}

  execute({ organizationId, user }: ReadEndUser): Promise<FoundEndUser> {
    return this.directory.find(organizationId, user);
  }
}
