import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';
import type { Key } from '../domain/key.js';
import type { UpdateKeyRequest } from './update-key.request.js';

/** Changes an API key, all named fields or none. Gives the key as it is afterwards. */
export class UpdateKey extends Command<Key> {
  constructor(
    readonly account: { readonly accountId: string; readonly defaultWorkspaceId: string },
    readonly hash: string,
    readonly changes: UpdateKeyRequest,
    readonly origin: Origin,
  ) {
    super();
  }
}
