import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../event-log/decision-runner.js';
import type { Origin } from '../kernel/metadata.js';
import {
  account,
  accountStream,
  type AccountState,
  existing,
  type OpenAccount,
} from './domain/account.js';
import type { AccountEvent } from './domain/account.events.js';
import { type AccountQuotas, withinQuotas } from './domain/quotas.js';

export const ACCOUNT_QUOTAS = Symbol('AccountQuotas');

type Decide = (state: AccountState) => AccountEvent[];

/** Takes decisions on account streams, within the quotas, and gives the account as it is then. */
@Injectable()
export class Accounts {
  constructor(
    @Inject(DecisionRunner) private readonly runner: DecisionRunner,
    @Inject(ACCOUNT_QUOTAS) private readonly quotas: AccountQuotas,
  ) {}

  /** Decides on an account that is expected not to exist yet. */
  open(accountId: string, origin: Origin, decide: Decide): Promise<OpenAccount> {
    return this.#run(accountId, origin, decide, true);
  }

  /** The account as the log has it now. @throws Refusal when there is none. */
  async load(accountId: string): Promise<OpenAccount> {
    return existing(await this.runner.load(account, accountStream(accountId), accountId));
  }

  change(accountId: string, origin: Origin, decide: Decide): Promise<OpenAccount> {
    return this.#run(accountId, origin, decide, false);
  }

  async #run(
    accountId: string,
    origin: Origin,
    decide: Decide,
    expectNew: boolean,
  ): Promise<OpenAccount> {
    const stream = accountStream(accountId);
    const { state } = await this.runner.run({
      aggregate: account,
      stream,
      accountId,
      origin,
      decide: (before) => withinQuotas(before, decide(before), this.quotas),
      expectNew,
    });
    return existing(state);
  }
}
