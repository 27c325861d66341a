import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';

/** Sets the whole set of restrictions of a workspace. */
export class RestrictWorkspace extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly workspaceId: string,
    readonly restrictions: readonly string[],
    readonly origin: Origin,
  ) {
    super();
  }
}
