import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';
import type { Workspace } from '../domain/account.js';

/** Adds a workspace without members to an account. Gives the workspace. */
export class CreateWorkspace extends Command<Workspace> {
  constructor(
    readonly accountId: string,
    readonly name: string,
    readonly restrictions: readonly string[],
    readonly origin: Origin,
  ) {
    super();
  }
}
