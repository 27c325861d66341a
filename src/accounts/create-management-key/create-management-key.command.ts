import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';

/** Gives a member of an account a management key, known to the service by its hash alone. */
export class CreateManagementKey extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly hash: string,
    readonly userId: string,
    readonly name: string | null,
    readonly origin: Origin,
  ) {
    super();
  }
}
