import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';

/** Adds a workspace without members to an account. Gives its id. */
export class CreateWorkspace extends Command<string> {
  constructor(
    readonly accountId: string,
    readonly name: string,
    readonly restrictions: readonly string[],
    readonly origin: Origin,
  ) {
    super();
  }
}
