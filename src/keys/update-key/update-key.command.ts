import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';
import type { Key, UpdateKey as Changes } from '../domain/key.js';

/** Changes an API key, all named fields or none. Gives the key as it is afterwards. */
export class UpdateKey extends Command<Key> {
  constructor(
    readonly hash: string,
    readonly changes: Changes,
    readonly origin: Origin,
  ) {
    super();
  }
}
