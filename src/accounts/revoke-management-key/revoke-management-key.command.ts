import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';

/** Ends a management key for good. */
export class RevokeManagementKey extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly hash: string,
    readonly origin: Origin,
  ) {
    super();
  }
}
