import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';

/** Makes a user a member of an organization, and so of its default workspace. */
export class AddMember extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly userId: string,
    readonly origin: Origin,
  ) {
    super();
  }
}
