import type { RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import type { AccountBudgetEvent } from '../../accounts/domain/budget.events.js';
import type { WorkspaceEvent } from '../../accounts/domain/workspace.events.js';
import type { Budget } from '../../budgets/domain/budget.js';
import type { EndUserBudgetEvent } from '../../end-users/domain/end-user.events.js';
import type { Key } from '../../keys/domain/key.js';
import type { KeyEvent } from '../../keys/domain/key.events.js';
import type { LimitChanges } from '../../keys/published/spent-toward-limits.port.js';
import type { EndUserMemory } from './end-user-memory.js';

/** The budgets of an account that apply to the uses of a key; null for none. */
export interface KeyBudgets {
  readonly workspace: Budget | null;
  /** That of each end user without one of their own. */
  readonly endUser: Budget | null;
}

type BudgetEvent =
  AccountBudgetEvent | EndUserBudgetEvent | Extract<WorkspaceEvent, { type: 'WorkspaceDeleted' }>;

type KeyLimitEvent = Extract<
  KeyEvent,
  { type: `ApiKey${'Limit' | 'LimitReset' | 'ByokInLimit'}Changed` }
>;

const NO_LIMIT = { limit: null };

type Placed = Pick<Key, 'account_id' | 'workspace_id'>;

/**
 * The budgets of workspaces and the common ones of end users, for all keys in memory. Events change
 * them in place, so that no key is forgotten. An account has at most one for each workspace.
 */
export class KnownBudgets {
  /** By the id of the workspace, or of the account whose end users have it in common. */
  readonly #budgets = new Map<string, Budget>();

  constructor(
    private readonly limits: LimitChanges,
    private readonly users: Pick<EndUserMemory, 'isWithoutBudget'>,
  ) {}

  /** Returns the budgets for a key in memory. */
  of({ account_id, workspace_id }: Placed): KeyBudgets {
    return { workspace: this.#get(workspace_id), endUser: this.#get(account_id) };
  }

  /** Keeps what was read with a key, unless an event may have changed it since. */
  keep({ account_id, workspace_id }: Placed, { workspace, endUser }: KeyBudgets): void {
    this.#set(workspace_id, workspace);
    this.#set(account_id, endUser);
  }

  /**
   * Applies an event, and says which limit it changed, of a key or by a budget.
   * @returns whether it may have changed a budget of the uses of keys.
   */
  apply({ stream, type, data }: Pick<RecordedEvent, 'stream' | 'type' | 'data'>): boolean {
    const event = { type, data } as BudgetEvent | KeyLimitEvent;
    switch (event.type) {
      case 'ApiKeyLimitChanged':
      case 'ApiKeyLimitResetChanged':
      case 'ApiKeyByokInLimitChanged':
        this.limits.limitChanged(event.data.hash, event.data);
        return false;
      case 'EndUserBudgetSet':
      case 'EndUserBudgetRemoved': {
        const budget = budgetAfter(event) ?? this.#get(event.data.organization_id);
        this.limits.limitChanged(stream, budget ?? NO_LIMIT);
        return false;
      }
      case 'WorkspaceBudgetSet':
      case 'WorkspaceBudgetRemoved':
      case 'WorkspaceDeleted':
        this.#set(event.data.workspace_id, budgetAfter(event));
        this.limits.limitChanged(event.data.workspace_id, budgetAfter(event) ?? NO_LIMIT);
        return true;
      case 'AccountEndUserBudgetSet':
      case 'AccountEndUserBudgetRemoved': {
        const { account_id } = event.data;
        this.#set(account_id, budgetAfter(event));
        const holdsFor = (user: string) => this.users.isWithoutBudget(user);
        this.limits.commonLimitChanged(account_id, budgetAfter(event) ?? NO_LIMIT, holdsFor);
        return true;
      }
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

/** Returns the budget that an event leaves; null for none. */
function budgetAfter({ data }: BudgetEvent): Budget | null {
  return 'budget' in data ? data.budget : null;
}
