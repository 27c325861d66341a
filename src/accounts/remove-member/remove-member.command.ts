import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';

/** Ends a membership, with it those of the workspaces and the management keys of the user. */
export class RemoveMember extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly userId: string,
    readonly origin: Origin,
  ) {
    super();
  }
}
