import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';
import type { Workspace } from '../domain/workspace.js';

/** Sets the whole set of restrictions of a workspace. Gives the workspace. */
export class RestrictWorkspace extends Command<Workspace> {
  constructor(
    readonly accountId: string,
    readonly workspaceId: string,
    readonly restrictions: readonly string[],
    readonly origin: Origin,
  ) {
    super();
  }
}
