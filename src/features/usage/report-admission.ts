import { Inject, Injectable } from '@nestjs/common';
import { FairSemaphore } from '../../event-sourcing/waiting/fair-semaphore.js';
import type { ReadModels } from '../../event-sourcing/projections/read-models.js';
import { Refusal } from '../../kernel/errors.js';
import { inTime } from '../../event-sourcing/waiting/in-time.js';
import { SpentSoFar } from './spent-toward-limits/spent-so-far.js';
import type { RecentUsage } from './spent-toward-limits/recent-usage.js';
import { USAGE } from '../../event-sourcing/ledger.js';

type Uncounted = Pick<RecentUsage, 'isParked' | 'records' | 'recordsOf'>;

/** How far the read models may be out of date until reports wait for them. */
const MOST_LAG_MS = 1_000;
/** How long a report waits after its body has arrived. */
const WAITS_MS = 8_000;
/** How often a report that waits checks whether the read models are still updated. */
const CHECKS_EVERY_MS = 250;
/** The most records in the log beyond what the read models counted, of all accounts and of one. */
const MOST_UNCOUNTED = { ofAll: 2_000_000, ofOne: 500_000 };

/**
 * Keeps reports from outrunning the read models of usage (docs/api.md 13.3), which one account
 * could hold back for all without bound. While nothing updates them, reports go on up to a bound.
 */
@Injectable()
export class ReportAdmission {
  readonly #line = new FairSemaphore(1);

  constructor(
    @Inject(USAGE.models) private readonly models: Pick<ReadModels, 'lag' | 'progress'>,
    @Inject(SpentSoFar) private readonly spending: { readonly recent: Uncounted },
  ) {}

  /**
   * Waits, accounts in turn, while the read models of usage are out of date and catch up. A parked
   * account waits for nothing, because they pass over its reports.
   * @param bodyAt the time when the body of the report was there, by `performance.now()`.
   * @throws Refusal `usage-behind` when the report has waited for 8 s, or too much is not counted.
   */
  async admit(accountId: string, bodyAt: number): Promise<void> {
    const { recent } = this.spending;
    if (!recent.isParked(accountId)) {
      const until = bodyAt + WAITS_MS;
      const turn = this.#line.run(accountId, () => this.#waitUntilCurrent(until));
      await inTime(turn, until - performance.now(), usageBehind);
      if (this.models.lag.overdue(MOST_LAG_MS) === undefined) return;
      if (recent.records >= MOST_UNCOUNTED.ofAll) throw usageBehind();
    }
    if (recent.recordsOf(accountId) >= MOST_UNCOUNTED.ofOne) throw usageBehind();
  }

  /** Waits until the read models are up to date enough; not for read models that stand still. */
  async #waitUntilCurrent(until: number): Promise<void> {
    const { lag, progress } = this.models;
    for (;;) {
      const end = lag.overdue(MOST_LAG_MS);
      if (end === undefined || !lag.isFolding) return;
      const left = until - performance.now();
      if (left <= 0) throw usageBehind();
      await progress.waitFor(end, Math.min(left, CHECKS_EVERY_MS));
    }
  }
}

function usageBehind(): Refusal {
  return new Refusal('usage-behind');
}
