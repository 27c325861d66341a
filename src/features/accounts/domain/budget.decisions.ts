import { type Budget, isSameBudget, requireBudget } from '../../budgets/domain/budget.js';
import { type AccountState, requireAccount } from './account.js';
import type { AccountBudgetEvent } from './budget.events.js';
import { requireWorkspace } from './workspace.decisions.js';

/** Returns no event for the budget that there is. @throws Refusal for an unknown workspace. */
export function setWorkspaceBudget(
  state: AccountState,
  idOrSlug: string,
  budget: Budget,
): AccountBudgetEvent[] {
  const workspace = requireWorkspace(requireAccount(state), idOrSlug);
  const { id: workspace_id, budget: previous_budget } = workspace;
  if (isSameBudget(previous_budget, budget)) return [];
  return [{ type: 'WorkspaceBudgetSet', data: { workspace_id, budget, previous_budget } }];
}

/** @throws Refusal for an unknown workspace, and for one without a budget. */
export function removeWorkspaceBudget(state: AccountState, idOrSlug: string): AccountBudgetEvent[] {
  const { id: workspace_id, budget } = requireWorkspace(requireAccount(state), idOrSlug);
  const previous_budget = requireBudget(budget);
  return [{ type: 'WorkspaceBudgetRemoved', data: { workspace_id, previous_budget } }];
}

/** Sets the budget of each end user who has none of their own, registered or not. */
export function setCommonBudget(state: AccountState, budget: Budget): AccountBudgetEvent[] {
  const { id: account_id, end_user_budget: previous_budget } = requireAccount(state);
  if (isSameBudget(previous_budget, budget)) return [];
  return [{ type: 'AccountEndUserBudgetSet', data: { account_id, budget, previous_budget } }];
}

/** @throws Refusal when there is no common budget of end users. */
export function removeCommonBudget(state: AccountState): AccountBudgetEvent[] {
  const { id: account_id, end_user_budget } = requireAccount(state);
  const previous_budget = requireBudget(end_user_budget);
  return [{ type: 'AccountEndUserBudgetRemoved', data: { account_id, previous_budget } }];
}
