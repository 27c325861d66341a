import { timeAt } from '../metadata-at.js';
import { type ExpectedDescription, now, UNNAMED } from './expected-description.js';

export const ACCOUNT_DESCRIPTIONS: readonly ExpectedDescription[] = [
  [
    'AccountCreated.v1.json',
    'account.created',
    'acc',
    'Acme',
    [
      now('kind', 'organization'),
      now('name', 'Acme'),
      now('owner_user_id', 'ada'),
      now('default_workspace_id', 'w'),
    ],
  ],
  ['MemberAdded.v1.json', 'member.added', 'bob', UNNAMED, [now('user_id', 'bob')]],
  [
    'MemberRemoved.v1.json',
    'member.removed',
    'bob',
    UNNAMED,
    [{ field: 'user_id', before: 'bob', after: null }],
  ],
  ['ManagementKeyCreated.v1.json', 'management-key.created', 'h', null, [now('user_id', 'ada')]],
  [
    'ManagementKeyRevoked.v1.json',
    'management-key.revoked',
    'h',
    UNNAMED,
    [now('revoked_at', timeAt(7))],
  ],
  // A first budget, without its null, and the end of one, with its null.
  [
    'AccountEndUserBudgetSet.v1.json',
    'account.end-user-budget-set',
    'acc',
    UNNAMED,
    [now('limit', 100.5), now('include_byok_in_limit', false)],
  ],
  [
    'AccountEndUserBudgetRemoved.v1.json',
    'account.end-user-budget-removed',
    'acc',
    UNNAMED,
    [
      { field: 'limit', before: 50, after: null },
      { field: 'limit_reset', before: null, after: null },
      { field: 'include_byok_in_limit', before: false, after: null },
    ],
  ],
];
