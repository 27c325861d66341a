import type { AccountBudgetEvent } from '../../accounts/domain/budget.events.js';
import type { WorkspaceEvent } from '../../accounts/domain/workspace.events.js';
import type { Budget } from '../../budgets/domain/budget.js';
import type { Key } from '../../keys/domain/key.js';

/** The budgets of an account that apply to the uses of a key; null for none. */
export interface KeyBudgets {
  readonly workspace: Budget | null;
  /** That of each end user without one of their own. */
  readonly endUser: Budget | null;
}

/** The budgets of an account that has any. Those of workspaces are by their ids. */
interface AccountBudgets {
  endUser: Budget | null;
  readonly workspaces: Map<string, Budget>;
}

type BudgetChange = AccountBudgetEvent | Extract<WorkspaceEvent, { type: 'WorkspaceDeleted' }>;

type Placed = Pick<Key, 'account_id' | 'workspace_id'>;

const NO_BUDGETS: KeyBudgets = { workspace: null, endUser: null };

/**
 * The budgets of workspaces and the common ones of end users, for all keys in memory. Events change
 * them in place, so that no key is forgotten. An account has at most one for each workspace.
 */
export class KnownBudgets {
  readonly #ofAccounts = new Map<string, AccountBudgets>();

  /** Returns the budgets for a key in memory. Most accounts have none. */
  of({ account_id, workspace_id }: Placed): KeyBudgets {
    const budgets = this.#ofAccounts.get(account_id);
    if (!budgets) return NO_BUDGETS;
    const workspace = budgets.workspaces.get(workspace_id) ?? null;
    return { workspace, endUser: budgets.endUser };
  }

  commonOf(accountId: string): Budget | null {
    return this.#ofAccounts.get(accountId)?.endUser ?? null;
  }

  /** Keeps what was read with a key, unless an event may have changed it since. */
  keep({ account_id, workspace_id }: Placed, { workspace, endUser }: KeyBudgets): void {
    const budgets = this.#budgetsOf(account_id);
    budgets.endUser = endUser;
    setWorkspace(budgets, workspace_id, workspace);
    this.#keep(account_id, budgets);
  }

  /** Applies an event of an account. @returns whether it may have changed a budget. */
  apply(accountId: string, type: string, data: unknown): boolean {
    const event = { type, data } as BudgetChange;
    const budgets = this.#budgetsOf(accountId);
    switch (event.type) {
      case 'WorkspaceBudgetSet':
        setWorkspace(budgets, event.data.workspace_id, event.data.budget);
        break;
      case 'WorkspaceBudgetRemoved':
      case 'WorkspaceDeleted':
        setWorkspace(budgets, event.data.workspace_id, null);
        break;
      case 'AccountEndUserBudgetSet':
        budgets.endUser = event.data.budget;
        break;
      case 'AccountEndUserBudgetRemoved':
        budgets.endUser = null;
        break;
      default:
        return false;
    }
    this.#keep(accountId, budgets);
    return true;
  }

  forgetAll(): void {
    this.#ofAccounts.clear();
  }

  #budgetsOf(accountId: string): AccountBudgets {
    return this.#ofAccounts.get(accountId) ?? { endUser: null, workspaces: new Map() };
  }

  #keep(accountId: string, budgets: AccountBudgets): void {
    if (budgets.endUser || budgets.workspaces.size > 0) this.#ofAccounts.set(accountId, budgets);
    else this.#ofAccounts.delete(accountId);
  }
}

function setWorkspace({ workspaces }: AccountBudgets, id: string, budget: Budget | null): void {
  if (budget) workspaces.set(id, budget);
  else workspaces.delete(id);
}
