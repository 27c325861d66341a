import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';
import type { Workspace } from '../domain/workspace.js';
import type { WorkspaceChanges } from '../domain/workspace.decisions.js';

/** Changes fields of a workspace, all or none. Gives the workspace. */
export class UpdateWorkspace extends Command<Workspace> {
  constructor(
    readonly accountId: string,
    readonly idOrSlug: string,
    readonly changes: WorkspaceChanges,
    readonly origin: Origin,
  ) {
    super();
  }
}
