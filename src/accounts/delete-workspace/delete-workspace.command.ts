import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';

/** Deletes a workspace that holds no keys, for good. */
export class DeleteWorkspace extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly origin: Origin,
  ) {
    super();
  }
}
