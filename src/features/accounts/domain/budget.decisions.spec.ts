import { describe, expect, it } from '@jest/globals';
import {
  ACCOUNT,
  DEFAULT_WORKSPACE,
  openedAccount,
  workspaceCreated,
} from '../../../../test/support/histories/accounts.js';
import { given } from '../../../../test/support/specs/given.js';
import type { Budget } from '../../budgets/domain/budget.js';
import type { AccountEvent } from './account.events.js';
import { account, requireAccount } from './account.js';
import { changeCommonBudget, changeWorkspaceBudget } from './budget.decisions.js';

const MONTHLY: Budget = { limit: 100, limit_reset: 'monthly', include_byok_in_limit: false };
/** Budgets that differ from `MONTHLY` in one field each. */
const OTHERS: readonly Budget[] = [
  { ...MONTHLY, limit: 100.000000001 },
  { ...MONTHLY, limit_reset: 'weekly' },
  { ...MONTHLY, limit_reset: null },
  { ...MONTHLY, include_byok_in_limit: true },
];

function setOf(budget: Budget, previous_budget: Budget | null = null): AccountEvent {
  return { type: 'WorkspaceBudgetSet', data: { workspace_id: 'eu', budget, previous_budget } };
}

const removed: AccountEvent = {
  type: 'WorkspaceBudgetRemoved',
  data: { workspace_id: 'eu', previous_budget: MONTHLY },
};
const commonSet: AccountEvent = {
  type: 'AccountEndUserBudgetSet',
  data: { account_id: ACCOUNT, budget: MONTHLY, previous_budget: null },
};
const commonRemoved: AccountEvent = {
  type: 'AccountEndUserBudgetRemoved',
  data: { account_id: ACCOUNT, previous_budget: MONTHLY },
};

const history = [...openedAccount(), workspaceCreated('eu')];

describe('the budget of a workspace', () => {
  const budgetIn = (...more: AccountEvent[]): unknown =>
    requireAccount(given(account, ...history, ...more).state).workspaces.get('eu')?.budget;

  it('is set, also of the default workspace, which is named by its slug too', () => {
    given(account, ...history)
      .when((state) => changeWorkspaceBudget(state, 'eu', MONTHLY))
      .then(setOf(MONTHLY));
    given(account, ...history)
      .when((state) => changeWorkspaceBudget(state, 'default', MONTHLY))
      .then({
        type: 'WorkspaceBudgetSet',
        data: { workspace_id: DEFAULT_WORKSPACE, budget: MONTHLY, previous_budget: null },
      });
    expect(budgetIn()).toBeNull();
    expect(budgetIn(setOf(MONTHLY))).toEqual(MONTHLY);
  });

  it.each(OTHERS)('is replaced by %j, as it differs, and not by the same again', (other) => {
    const before = given(account, ...history, setOf(MONTHLY));
    before.when((state) => changeWorkspaceBudget(state, 'eu', other)).then(setOf(other, MONTHLY));
    before.when((state) => changeWorkspaceBudget(state, 'eu', { ...MONTHLY })).thenNothing();
    expect(budgetIn(setOf(MONTHLY), setOf(other, MONTHLY))).toEqual(other);
  });

  it('is removed, once', () => {
    given(account, ...history, setOf(MONTHLY))
      .when((state) => changeWorkspaceBudget(state, 'eu', null))
      .then(removed);
    expect(budgetIn(setOf(MONTHLY), removed)).toBeNull();
    for (const more of [[], [setOf(MONTHLY), removed]]) {
      given(account, ...history, ...more)
        .when((state) => changeWorkspaceBudget(state, 'eu', null))
        .thenRefused('no-budget');
    }
  });

  it('ends with the workspace, which no decision finds any longer', () => {
    const deleted: AccountEvent = {
      type: 'WorkspaceDeleted',
      data: { account_id: ACCOUNT, workspace_id: 'eu' },
    };
    const after = given(account, ...history, setOf(MONTHLY), deleted);
    after.when((state) => changeWorkspaceBudget(state, 'eu', MONTHLY)).thenRefused('not-found');
    after.when((state) => changeWorkspaceBudget(state, 'eu', null)).thenRefused('not-found');
    const again = [setOf(MONTHLY), deleted, workspaceCreated('eu')];
    expect(budgetIn(...again)).toBeNull();
  });

  it('stays when the record of the workspace changes', () => {
    const renamed: AccountEvent = {
      type: 'WorkspaceRenamed',
      data: { workspace_id: 'eu', name: 'Europe', previous_name: 'eu' },
    };
    expect(budgetIn(setOf(MONTHLY), renamed)).toEqual(MONTHLY);
  });
});

describe('the common budget of end users', () => {
  const budgetIn = (...more: AccountEvent[]): unknown =>
    requireAccount(given(account, ...history, ...more).state).end_user_budget;

  it('is set, replaced where it differs, and removed once', () => {
    given(account, ...history)
      .when((state) => changeCommonBudget(state, MONTHLY))
      .then(commonSet);
    const before = given(account, ...history, commonSet);
    before.when((state) => changeCommonBudget(state, { ...MONTHLY })).thenNothing();
    before
      .when((state) => changeCommonBudget(state, { ...MONTHLY, limit: 0 }))
      .then({
        type: 'AccountEndUserBudgetSet',
        data: {
          account_id: ACCOUNT,
          budget: { ...MONTHLY, limit: 0 },
          previous_budget: MONTHLY,
        },
      });
    before.when((state) => changeCommonBudget(state, null)).then(commonRemoved);
    given(account, ...history, commonSet, commonRemoved)
      .when((state) => changeCommonBudget(state, null))
      .thenRefused('no-budget');
    expect([budgetIn(), budgetIn(commonSet), budgetIn(commonSet, commonRemoved)]).toEqual([
      null,
      MONTHLY,
      null,
    ]);
  });

  it('is no budget of a workspace', () => {
    given(account, ...history, commonSet)
      .when((state) => changeWorkspaceBudget(state, 'eu', null))
      .thenRefused('no-budget');
    given(account, ...history, setOf(MONTHLY))
      .when((state) => changeCommonBudget(state, null))
      .thenRefused('no-budget');
  });
});
