import { Inject, Injectable } from '@nestjs/common';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { isOutOfReach, Refusal } from '../../kernel/errors.js';
import type { Read } from '../../kernel/read.js';
import { numberUsd } from '../../kernel/usd.js';
import { account, type OpenAccount, requireAccount } from '../accounts/domain/account.js';
import { requireWorkspace } from '../accounts/domain/workspace.decisions.js';
import type { Workspace } from '../accounts/domain/workspace.js';
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
import type { EndUserBudget, SpentBudget } from './budget.fields.js';
import { type Budget, requireBudget } from './domain/budget.js';

/** Budgets as callers see them: read from the log, with the usage of the read models. */
@Injectable()
export class BudgetRecords {
  constructor(
    @Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner,
    @Inject(USAGE_OF_SUBJECTS) private readonly uses: UsageOfSubjects,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async workspace(accountId: string, idOrSlug: string): Promise<Workspace> {
    return requireWorkspace(await this.#account(accountId), idOrSlug);
  }

  /** @throws Refusal when the workspace is unknown, or has no budget. */
  async ofWorkspace(accountId: string, idOrSlug: string): Promise<Read<{ data: SpentBudget }>> {
    const { id, budget } = await this.workspace(accountId, idOrSlug);
    return this.#present(accountId, id, requireBudget(budget));
  }

  /**
   * Returns the budget that holds for an end user, registered or not: their own, or the common one.
   * @throws Refusal when there is neither.
   */
  async ofEndUser(organizationId: string, user: string): Promise<Read<{ data: EndUserBudget }>> {
    const id = endUserId(organizationId, user);
    const own = (await this.runner.load(endUser, id, organizationId))?.budget;
    const budget = own ?? (await this.common(organizationId));
    const { found, isLate } = await this.#present(organizationId, endUserStream(id), budget);
    return { found: { data: { ...found.data, is_common: !own } }, isLate };
  }

  /** @throws Refusal when the organization has no budget for end users without their own. */
  async common(organizationId: string): Promise<Budget> {
    return requireBudget((await this.#account(organizationId)).end_user_budget);
  }

  /** Presents a budget whose change is stored, so no error may say that nothing was changed. */
  async afterChange(
    accountId: string,
    subject: Subject,
    budget: Budget,
  ): Promise<Read<{ data: SpentBudget }>> {
    try {
      return await this.#present(accountId, subject, budget);
    } catch (error) {
      throw isOutOfReach(error) ? new Refusal('stored-usage-unknown') : error;
    }
  }

  async #present(
    accountId: string,
    subject: Subject,
    budget: Budget,
  ): Promise<Read<{ data: SpentBudget }>> {
    const now = this.clock.now();
    const { found, isLate } = await this.uses.totalsOf(accountId, [subject], now);
    const used = found.get(subject) ?? NEVER_USED;
    const { usage, byok_usage } = used[budget.limit_reset ?? 'total'];
    const data = {
      limit: budget.limit,
      limit_reset: budget.limit_reset,
      include_byok_in_limit: budget.include_byok_in_limit,
      limit_remaining: limitRemaining(budget.limit, spentTowardLimit(budget, used)),
      usage: numberUsd(usage),
      byok_usage: numberUsd(byok_usage),
      resets_at: resetsAt(budget.limit_reset, now),
    };
    return { found: { data }, isLate };
  }

  async #account(accountId: string): Promise<OpenAccount> {
    return requireAccount(await this.runner.load(account, accountId, accountId));
  }
}
