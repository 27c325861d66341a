import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';
import type { EndUser } from '../domain/end-user.js';

/** Deactivates or reactivates an end user. Gives the end user as it is afterwards. */
export class UpdateEndUser extends Command<EndUser> {
  constructor(
    readonly organizationId: string,
    readonly user: string,
    readonly isActive: boolean,
    readonly origin: Origin,
  ) {
    super();
  }
}
