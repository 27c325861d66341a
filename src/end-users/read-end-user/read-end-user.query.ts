import { Query } from '@nestjs/cqrs';
import type { FoundEndUser } from '../end-user-directory/end-user-directory.js';

/** One end user of an organization, active or not. */
export class ReadEndUser extends Query<FoundEndUser> {
  constructor(
    readonly organizationId: string,
    readonly user: string,
  ) {
    super();
  }
}
