import {
  BUDGET_CHANGED,
  BUDGET_REMOVED,
  type ExpectedDescription,
  now,
  UNNAMED,
} from './expected-description.js';

export const WORKSPACE_DESCRIPTIONS: readonly ExpectedDescription[] = [
  [
    'WorkspaceCreated.v1.json',
    'workspace.created',
    'w',
    'Europe',
    [
      now('name', 'Europe'),
      now('slug', 'europe'),
      now('restrictions', ['eu-only']),
      now('is_default', false),
    ],
  ],
  [
    'WorkspaceRenamed.v1.json',
    'workspace.renamed',
    'w',
    'b',
    [{ field: 'name', before: 'a', after: 'b' }],
  ],
  [
    'WorkspaceSlugChanged.v1.json',
    'workspace.slug-changed',
    'w',
    UNNAMED,
    [{ field: 'slug', before: 'a', after: 'b' }],
  ],
  [
    'WorkspaceDescriptionChanged.v1.json',
    'workspace.description-changed',
    'w',
    UNNAMED,
    [now('description', 'Keys of the EU.')],
  ],
  [
    'WorkspaceRestricted.v1.json',
    'workspace.restricted',
    'w',
    UNNAMED,
    [{ field: 'restrictions', before: [], after: ['a'] }],
  ],
  ['WorkspaceMemberAdded.v1.json', 'workspace.member-added', 'w', UNNAMED, [now('user_id', 'bob')]],
  [
    'WorkspaceMemberRemoved.v1.json',
    'workspace.member-removed',
    'w',
    UNNAMED,
    [{ field: 'user_id', before: 'bob', after: null }],
  ],
  ['WorkspaceBudgetSet.v1.json', 'workspace.budget-set', 'w', UNNAMED, BUDGET_CHANGED],
  ['WorkspaceBudgetRemoved.v1.json', 'workspace.budget-removed', 'w', UNNAMED, BUDGET_REMOVED],
  [
    'WorkspaceDeleted.v1.json',
    'workspace.deleted',
    'w',
    UNNAMED,
    [{ field: 'deleted', before: false, after: true }],
  ],
];
