import type { AccountBudgetEvent } from '../../accounts/domain/budget.events.js';
import type { WorkspaceEvent } from '../../accounts/domain/workspace.events.js';
import type { Budget } from '../../budgets/domain/budget.js';
import type { EndUserBudgetEvent } from '../../end-users/domain/end-user.events.js';
import type { Key } from '../../keys/domain/key.js';

/** The budgets of an account that apply to the uses of a key; null for none. */
export interface KeyBudgets {
  readonly workspace: Budget | null;
  /** That of each end user without one of their own. */
  readonly endUser: Budget | null;
}

type BudgetChange = AccountBudgetEvent | Extract<WorkspaceEvent, { type: 'WorkspaceDeleted' }>;

type Placed = Pick<Key, 'account_id' | 'workspace_id'>;

/**
 * The budgets of workspaces and the common ones of end users, for all keys in memory. Events change
 * them in place, so that no key is forgotten. An account has at most one for each workspace.
 */
export class KnownBudgets {
  /** By the id of the workspace, or of the account whose end users have it in common. */
  readonly #budgets = new Map<string, Budget>();

  /** Returns the budgets for a key in memory. */
  of({ account_id, workspace_id }: Placed): KeyBudgets {
    return { workspace: this.#get(workspace_id), endUser: this.#get(account_id) };
  }

  commonOf(accountId: string): Budget | null {
    return this.#get(accountId);
  }

  /** Keeps what was read with a key, unless an event may have changed it since. */
  keep({ account_id, workspace_id }: Placed, { workspace, endUser }: KeyBudgets): void {
    this.#set(workspace_id, workspace);
    this.#set(account_id, endUser);
  }

  /** Applies an event of an account. @returns whether it may have changed a budget. */
  apply(accountId: string, type: string, data: unknown): boolean {
    const event = { type, data } as BudgetChange;
    switch (event.type) {
      case 'WorkspaceBudgetSet':
      case 'WorkspaceBudgetRemoved':
      case 'WorkspaceDeleted':
        this.#set(event.data.workspace_id, budgetIn(event));
        return true;
      case 'AccountEndUserBudgetSet':
      case 'AccountEndUserBudgetRemoved':
        this.#set(accountId, budgetIn(event));
        return true;
      default:
        return false;
    }
  }

  forgetAll(): void {
    this.#budgets.clear();
  }

  #get(id: string): Budget | null {
    return this.#budgets.get(id) ?? null;
  }

  #set(id: string, budget: Budget | null): void {
    if (budget) this.#budgets.set(id, budget);
    else this.#budgets.delete(id);
  }
}

/** Returns the budget that an event sets; null where it removes one. */
export function budgetIn({ data }: BudgetChange | EndUserBudgetEvent): Budget | null {
  return 'budget' in data ? data.budget : null;
}
