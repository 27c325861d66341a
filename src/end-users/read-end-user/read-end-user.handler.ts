import { Inject } from '@nestjs/common';
import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { EndUserDirectory, type FoundEndUser } from '../end-user-directory/end-user-directory.js';
import { ReadEndUser } from './read-end-user.query.js';

@QueryHandler(ReadEndUser)
export class ReadEndUserHandler implements IQueryHandler<ReadEndUser> {
  constructor(@Inject(EndUserDirectory) private readonly directory: EndUserDirectory) {}

  execute({ organizationId, user }: ReadEndUser): Promise<FoundEndUser> {
    return this.directory.find(organizationId, user);
  }
}
