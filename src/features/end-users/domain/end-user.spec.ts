import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/specs/given.js';
import { timeAt } from '../../../../test/support/specs/metadata-at.js';
import type { Budget } from '../../budgets/domain/budget.js';
import { changeEndUserBudget, endUser, registerEndUser, setEndUserActive } from './end-user.js';
import type { EndUserEvent } from './end-user.events.js';

const data = { organization_id: 'org', user: 'Alice' };
const registered: EndUserEvent = { type: 'EndUserRegistered', data };
const deactivated: EndUserEvent = { type: 'EndUserDeactivated', data };
const reactivated: EndUserEvent = { type: 'EndUserReactivated', data };

const DAILY: Budget = { limit: 5, limit_reset: 'daily', include_byok_in_limit: true };

function budgetSet(budget: Budget, previous_budget: Budget | null = null): EndUserEvent {
  return { type: 'EndUserBudgetSet', data: { ...data, budget, previous_budget } };
}

const budgetRemoved: EndUserEvent = {
  type: 'EndUserBudgetRemoved',
  data: { ...data, previous_budget: DAILY },
};

describe('registering an end user', () => {
  it('happens once', () => {
    given(endUser)
      .when((state) => registerEndUser(state, 'org', 'Alice'))
      .then(registered);
    given(endUser, registered)
      .when((state) => registerEndUser(state, 'org', 'Alice'))
      .thenRefused('end-user-already-registered');
  });

  it('does not happen again while the end user is inactive', () => {
    given(endUser, registered, deactivated)
      .when((state) => registerEndUser(state, 'org', 'Alice'))
      .thenRefused('end-user-already-registered');
  });

  it('gives an active end user whose last change is the registration', () => {
    expect(given(endUser, registered).state).toEqual({
      organization_id: 'org',
      user: 'Alice',
      is_active: true,
      created_at: timeAt(0),
      updated_at: timeAt(0),
    });
  });
});

describe('deactivating and reactivating an end user', () => {
  it('happens when it is a change', () => {
    given(endUser, registered)
      .when((state) => setEndUserActive(state, false))
      .then(deactivated);
    given(endUser, registered, deactivated)
      .when((state) => setEndUserActive(state, true))
      .then(reactivated);
    given(endUser, registered, deactivated, reactivated)
      .when((state) => setEndUserActive(state, false))
      .then(deactivated);
  });

  it('gives no event when the end user has the state already', () => {
    given(endUser, registered)
      .when((state) => setEndUserActive(state, true))
      .thenNothing();
    given(endUser, registered, deactivated)
      .when((state) => setEndUserActive(state, false))
      .thenNothing();
  });

  it.each([true, false])('is refused for one that is not registered (to %p)', (active) => {
    given(endUser)
      .when((state) => setEndUserActive(state, active))
      .thenRefused('not-found');
  });

  it('changes the state and the time of the last change, and nothing else', () => {
    const { state: before } = given(endUser, registered);
    expect(given(endUser, registered, deactivated).state).toEqual({
      ...before,
      is_active: false,
      updated_at: timeAt(1),
    });
    expect(given(endUser, registered, deactivated, reactivated).state).toEqual({
      ...before,
      is_active: true,
      updated_at: timeAt(2),
    });
  });
});

describe('the own budget of an end user', () => {
  it('is set, replaced where it differs, and removed once', () => {
    given(endUser, registered)
      .when((state) => changeEndUserBudget(state, DAILY))
      .then(budgetSet(DAILY));
    const before = given(endUser, registered, budgetSet(DAILY));
    const other = { ...DAILY, limit_reset: null };
    before.when((state) => changeEndUserBudget(state, other)).then(budgetSet(other, DAILY));
    before.when((state) => changeEndUserBudget(state, { ...DAILY })).thenNothing();
    before.when((state) => changeEndUserBudget(state, null)).then(budgetRemoved);
    given(endUser, registered, budgetSet(DAILY), budgetRemoved)
      .when((state) => changeEndUserBudget(state, null))
      .thenRefused('no-budget');
    given(endUser, registered)
      .when((state) => changeEndUserBudget(state, null))
      .thenRefused('no-budget');
  });

  it('needs a registered end user, active or not', () => {
    given(endUser)
      .when((state) => changeEndUserBudget(state, DAILY))
      .thenRefused('not-found');
    given(endUser)
      .when((state) => changeEndUserBudget(state, null))
      .thenRefused('not-found');
    given(endUser, registered, deactivated)
      .when((state) => changeEndUserBudget(state, DAILY))
      .then(budgetSet(DAILY));
  });

  it('changes nothing else of the end user, and outlives a deactivation', () => {
    const { state: before } = given(endUser, registered);
    const { state: set } = given(endUser, registered, budgetSet(DAILY));
    expect(set).toEqual({ ...before, budget: DAILY });
    expect(given(endUser, registered, budgetSet(DAILY), deactivated).state?.budget).toEqual(DAILY);
    const { state: removed } = given(endUser, registered, budgetSet(DAILY), budgetRemoved);
    expect(removed).toEqual({ ...before, budget: null });
  });
});
