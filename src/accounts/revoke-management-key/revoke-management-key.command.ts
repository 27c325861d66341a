import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';
import type { ManagementKey } from '../domain/account.js';

/** Ends a management key for good. Gives the key. */
export class RevokeManagementKey extends Command<ManagementKey> {
  constructor(
    readonly accountId: string,
    readonly hash: string,
    readonly origin: Origin,
  ) {
    super();
  }
}
