import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';
import type { Key, KeyChanges } from '../domain/key.js';

/** Changes an API key, all named fields or none. Gives the key as it is afterwards. */
export class UpdateKey extends Command<Key> {
  constructor(
    readonly accountId: string,
    readonly hash: string,
    readonly changes: KeyChanges,
    readonly origin: Origin,
  ) {
    super();
  }
}
