import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';

/** Lets a member of the account have keys in a workspace. */
export class AddWorkspaceMember extends Command<void> {
  constructor(
    readonly accountId: string,
    readonly workspaceId: string,
    readonly userId: string,
    readonly origin: Origin,
  ) {
    super();
  }
}
