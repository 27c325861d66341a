import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';

/** Ends a membership of a workspace; keys that are there stay. */
export class RemoveWorkspaceMember extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly workspaceId: string,
    readonly userId: string,
    readonly origin: Origin,
  ) {
    super();
  }
}
