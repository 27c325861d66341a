import { Inject, Injectable } from '@nestjs/common';
import { FairSemaphore } from '../../event-sourcing/decisions/fair-semaphore.js';
import type { ReadModels } from '../../event-sourcing/projections/read-models.js';
import { Refusal } from '../../kernel/errors.js';
import { inTime } from '../../kernel/in-time.js';
import { USAGE } from './usage-log.js';

/** How far the read models may be out of date until reports wait for them. */
const MOST_LAG_MS = 1_000;
/** How long a report waits, from the time when its body is there. */
const WAITS_MS = 8_000;
/** How often a report that waits looks whether the read models are still updated. */
const LOOKS_EVERY_MS = 250;

/**
 * Keeps reports from coming in faster than the read models of usage follow (docs/api.md 13.3). Otherwise one account could
 * put them out of date without bound, for all accounts.
 */
@Injectable()
export class ReportAdmission {
  readonly #line = new FairSemaphore(1);

  constructor(
    @Inject(USAGE.models) private readonly models: Pick<ReadModels, 'lag' | 'progress'>,
  ) {}

  /**
   * Waits, accounts in turn, while the read models of usage are out of date and catch up.
   * @param bodyAt the time when the body of the report was there, by `performance.now()`.
   * @throws Refusal `usage-behind` when the report has waited for 8 s.
   */
  async admit(accountId: string, bodyAt: number): Promise<void> {
    const until = bodyAt + WAITS_MS;
    const turn = this.#line.run(accountId, () => this.#caughtUp(until));
    await inTime(turn, until - performance.now(), behind);
  }

  /** Waits until the read models are up to date enough. Nobody waits for read models that stand still. */
  async #caughtUp(until: number): Promise<void> {
    const { lag, progress } = this.models;
    for (;;) {
      const end = lag.overdue(MOST_LAG_MS);
      if (end === undefined || !lag.isFolding) return;
      const left = until - performance.now();
      if (left <= 0) throw behind();
      await progress.waitFor(end, Math.min(left, LOOKS_EVERY_MS));
    }
  }
}

function behind(): Refusal {
  return new Refusal('usage-behind');
}
