import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';

/** Lets members of the account into a workspace, all or none. Gives those who were not in it before. */
export class AddWorkspaceMembers extends Command<readonly string[]> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly userIds: readonly string[],
    readonly origin: Origin,
  ) {
    super();
  }
}
