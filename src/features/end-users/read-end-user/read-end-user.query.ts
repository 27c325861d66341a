import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Read } from '../../../kernel/read.js';
import type { EndUser } from '../domain/end-user.js';
import { EndUserDirectory } from '../end-user-directory/end-user-directory.js';

/** Reads one end user of an organization, active or not. Throws a Refusal for an unknown tracking string. */
export class ReadEndUser extends Query<Read<EndUser>> {
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

  execute({ organizationId, user }: ReadEndUser): Promise<Read<EndUser>> {
    return this.directory.find(organizationId, user);
  }
}
