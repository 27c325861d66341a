import { type Budget, budgetChange } from '../../budgets/domain/budget.js';
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
  const change = budgetChange(before, budget);
  if (!change) return [];
  return 'budget' in change
    ? [{ type: 'WorkspaceBudgetSet', data: { workspace_id, ...change } }]
    : [{ type: 'WorkspaceBudgetRemoved', data: { workspace_id, ...change } }];
}

/** Does the same with the budget of each end user who has none of their own. */
export function changeCommonBudget(
  state: AccountState,
  budget: Budget | null,
): AccountBudgetEvent[] {
  const { id: account_id, end_user_budget: before } = requireAccount(state);
  const change = budgetChange(before, budget);
  if (!change) return [];
  return 'budget' in change
    ? [{ type: 'AccountEndUserBudgetSet', data: { account_id, ...change } }]
    : [{ type: 'AccountEndUserBudgetRemoved', data: { account_id, ...change } }];
}
