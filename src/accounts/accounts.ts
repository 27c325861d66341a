import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../event-log/decision-runner.js';
import type { Origin } from '../kernel/metadata.js';
import { account, accountStream, type AccountState } from './domain/account.js';
import type { AccountEvent } from './domain/account.events.js';

type Decide = (state: AccountState) => AccountEvent[];

/** Takes decisions on account streams. */
@Injectable()
export class Accounts {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  /** Decides on an account that is expected not to exist yet. */
  async open(accountId: string, origin: Origin, decide: Decide): Promise<void> {
    await this.#run(accountId, origin, decide, true);
  }

  async change(accountId: string, origin: Origin, decide: Decide): Promise<void> {
    await this.#run(accountId, origin, decide, false);
  }

  async #run(accountId: string, origin: Origin, decide: Decide, expectNew: boolean): Promise<void> {
    const stream = accountStream(accountId);
    await this.runner.run({ aggregate: account, stream, accountId, origin, decide, expectNew });
  }
}
