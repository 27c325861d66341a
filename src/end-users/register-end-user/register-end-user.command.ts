import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';
import type { EndUser } from '../domain/end-user.js';

/** Registers a tracking string with an organization, once. */
export class RegisterEndUser extends Command<EndUser> {
  constructor(
    readonly organizationId: string,
    readonly user: string,
    readonly origin: Origin,
  ) {
    super();
  }
}
