import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';

/** Ends memberships of a workspace, all or none. Gives the users who were in it before. */
export class RemoveWorkspaceMembers extends Command<readonly string[]> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly userIds: readonly string[],
    readonly origin: Origin,
  ) {
    super();
  }
}
