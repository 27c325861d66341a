import { type Budget, isSameBudget, requireBudget } from '../../budgets/domain/budget.js';
import { type AccountState, requireAccount } from './account.js';
import type { AccountBudgetEvent } from './budget.events.js';
import { requireWorkspace } from './workspace.decisions.js';

/**
 * Sets the budget of a workspace, or removes it for null. Returns no event for the same budget.
 * @throws Refusal for an unknown workspace, and where there is no budget to remove.
 */
export function changeWorkspaceBudget(
  state: AccountState,
  idOrSlug: string,
  budget: Budget | null,
): AccountBudgetEvent[] {
  const { id: workspace_id, budget: before } = requireWorkspace(requireAccount(state), idOrSlug);
  if (budget === null) {
    const previous_budget = requireBudget(before);
    return [{ type: 'WorkspaceBudgetRemoved', data: { workspace_id, previous_budget } }];
  }
  if (isSameBudget(before, budget)) return [];
  return [{ type: 'WorkspaceBudgetSet', data: { workspace_id, budget, previous_budget: before } }];
}

/** Does the same with the budget of each end user who has none of their own. */
export function changeCommonBudget(
  state: AccountState,
  budget: Budget | null,
): AccountBudgetEvent[] {
  const { id: account_id, end_user_budget: before } = requireAccount(state);
  if (budget === null) {
    const previous_budget = requireBudget(before);
    return [{ type: 'AccountEndUserBudgetRemoved', data: { account_id, previous_budget } }];
  }
  if (isSameBudget(before, budget)) return [];
  const data = { account_id, budget, previous_budget: before };
  return [{ type: 'AccountEndUserBudgetSet', data }];
}
