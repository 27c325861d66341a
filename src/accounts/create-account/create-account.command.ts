import { Command } from '@nestjs/cqrs';
import type { Origin } from '../../kernel/metadata.js';
import type { AccountKind } from '../domain/account.js';

export interface CreatedAccount {
  readonly accountId: string;
  readonly defaultWorkspaceId: string;
}

/** Opens an account with its default workspace, its owner and a first management key, all or nothing. */
export class CreateAccount extends Command<CreatedAccount> {
  constructor(
    readonly account: {
      /** Minted when absent. Naming one makes the creation exactly-once. */
      readonly accountId?: string;
      readonly kind: AccountKind;
      readonly name: string;
      readonly ownerUserId: string;
      readonly managementKeyHash: string;
    },
    readonly origin: Origin,
  ) {
    super();
  }
}
