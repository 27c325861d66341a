import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';
import type { Key, NewKey } from '../domain/key.js';

/** Creates an API key that is known to the service by its hash alone. */
export class CreateKey extends Command<Key> {
  constructor(
    readonly key: NewKey,
    /** That it is wanted in: the default one when undefined. */
    readonly workspaceId: string | undefined,
    readonly origin: Origin,
  ) {
    super();
  }
}
