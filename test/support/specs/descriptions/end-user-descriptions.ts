import {
  BUDGET_CHANGED,
  BUDGET_REMOVED,
  type ExpectedDescription,
  now,
  UNNAMED,
} from './expected-description.js';

export const END_USER_DESCRIPTIONS: readonly ExpectedDescription[] = [
  ['EndUserRegistered.v1.json', 'end-user.registered', 'Alice', UNNAMED, [now('user', 'Alice')]],
  [
    'EndUserDeactivated.v1.json',
    'end-user.deactivated',
    'Alice',
    UNNAMED,
    [{ field: 'is_active', before: true, after: false }],
  ],
  [
    'EndUserReactivated.v1.json',
    'end-user.reactivated',
    'Alice',
    UNNAMED,
    [{ field: 'is_active', before: false, after: true }],
  ],
  ['EndUserBudgetSet.v1.json', 'end-user.budget-set', 'Alice', UNNAMED, BUDGET_CHANGED],
  ['EndUserBudgetRemoved.v1.json', 'end-user.budget-removed', 'Alice', UNNAMED, BUDGET_REMOVED],
  [
    'EndUserLimitReached.v1.json',
    'end-user.limit-reached',
    'Alice',
    UNNAMED,
    [
      now('threshold', 80),
      now('limit', 5),
      now('spent', 12_345_678_901.234_568),
      now('limit_reset', 'daily'),
      now('window_start', '2026-03-04T00:00:00.000Z'),
      now('resets_at', '2026-03-05T00:00:00.000Z'),
    ],
  ],
];
