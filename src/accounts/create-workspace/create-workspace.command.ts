import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';
import type { Workspace } from '../domain/workspace.js';
import type { NewWorkspace } from '../domain/workspace.decisions.js';

/** Adds a workspace without members to an account. Gives the workspace. */
export class CreateWorkspace extends Command<Workspace> {
  constructor(
    readonly accountId: string,
    readonly workspace: Omit<NewWorkspace, 'workspaceId'>,
    readonly origin: Origin,
  ) {
    super();
  }
}
