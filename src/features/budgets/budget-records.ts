import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { Read } from '../../kernel/read.js';
import { numberUsd } from '../../kernel/usd.js';
import { account, requireAccount } from '../accounts/domain/account.js';
import { requireWorkspace } from '../accounts/domain/workspace.decisions.js';
import { endUser, endUserId, endUserStream } from '../end-users/domain/end-user.js';
import {
  limitRemaining,
  NEVER_USED,
  resetsAt,
  spentTowardLimit,
  type Subject,
} from '../keys/domain/limit.js';
import {
  USAGE_OF_SUBJECTS,
  type UsageOfSubjects,
} from '../keys/published/usage-of-subjects.port.js';
import type { BudgetShape, EndUserBudgetShape, SpentBudgetShape } from './budget.fields.js';
import { type Budget, type BudgetHolder, requireBudget } from './domain/budget.js';

/** A budget that holds for a subject; for the subject null, the common one itself. */
export interface HeldBudget {
  readonly subject: Subject | null;
  readonly budget: Budget;
  readonly isCommon: boolean;
}

/** Budgets as callers see them: read from the log, with the usage of the read models. */
@Injectable()
export class BudgetRecords {
  constructor(
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    @Inject(USAGE_OF_SUBJECTS) private readonly uses: UsageOfSubjects,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Returns the budget that holds. For an end user, registered or not, it is the common one where
   * there is none of their own. @throws Refusal for an unknown workspace, and when none holds.
   */
  async find(holder: BudgetHolder): Promise<HeldBudget> {
    const { accountId } = holder;
    if (holder.kind === 'end-user') {
      const id = endUserId(accountId, holder.user);
      const subject = endUserStream(id);
      const own = (await this.runner.load(endUser, id, accountId))?.budget;
      if (own) return { subject, budget: own, isCommon: false };
      return { ...(await this.find({ kind: 'end-users-in-common', accountId })), subject };
    }
    const state = requireAccount(await this.runner.load(account, accountId, accountId));
    if (holder.kind === 'end-users-in-common') {
      return { subject: null, budget: requireBudget(state.end_user_budget), isCommon: true };
    }
    const { id: subject, budget } = requireWorkspace(state, holder.idOrSlug);
    return { subject, budget: requireBudget(budget), isCommon: false };
  }

  /** The common budget is spent by each end user for themselves, so it shows no usage. */
  async present(
    { kind, accountId }: BudgetHolder,
    { subject, budget, isCommon }: HeldBudget,
  ): Promise<Read<{ data: BudgetShape }>> {
    if (subject === null) return { found: { data: budget }, isLate: false };
    const now = this.clock.now();
    const { found, isLate } = await this.uses.totalsOf(accountId, [subject], now);
    const used = found.get(subject) ?? NEVER_USED;
    const { usage, byok_usage } = used[budget.limit_reset ?? 'total'];
    const data: SpentBudgetShape & Partial<EndUserBudgetShape> = {
      limit: budget.limit,
      limit_reset: budget.limit_reset,
      include_byok_in_limit: budget.include_byok_in_limit,
      limit_remaining: limitRemaining(budget.limit, spentTowardLimit(budget, used)),
      usage: numberUsd(usage),
      byok_usage: numberUsd(byok_usage),
      resets_at: resetsAt(budget.limit_reset, now),
      ...(kind === 'end-user' && { is_common: isCommon }),
    };
    return { found: { data }, isLate };
  }
}
