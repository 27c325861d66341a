import { randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Accounts } from '../accounts.js';
import { createAccount } from '../domain/account.decisions.js';
import { CreateAccount, type CreatedAccount } from './create-account.command.js';

@CommandHandler(CreateAccount)
export class CreateAccountHandler implements ICommandHandler<CreateAccount> {
  constructor(@Inject(Accounts) private readonly accounts: Accounts) {}

  async execute({ account: wanted, origin }: CreateAccount): Promise<CreatedAccount> {
    const { accountId = randomUUID(), ...rest } = wanted;
    const defaultWorkspaceId = randomUUID();
    await this.accounts.open(accountId, origin, (state) =>
      createAccount(state, { ...rest, accountId, defaultWorkspaceId }),
    );
    return { accountId, defaultWorkspaceId };
  }
}
