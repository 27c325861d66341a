/** The actions of limits that were reached. */
export const LIMITS_REACHED = [
  'key.limit-reached',
  'workspace.limit-reached',
  'end-user.limit-reached',
];

/** The actions on each type of target, as the API names them. */
const BY_TARGET: Readonly<Record<string, string>> = {
  account: 'created end-user-budget-set end-user-budget-removed',
  member: 'added removed',
  workspace:
    'created renamed slug-changed description-changed restricted member-added member-removed deleted budget-set budget-removed',
  'management-key': 'created revoked',
  key: 'created renamed disabled enabled limit-changed limit-reset-changed byok-in-limit-changed expiry-changed moved rotated string-ended deleted',
  'end-user': 'registered deactivated reactivated budget-set budget-removed',
};

/** The actions to choose from; several have commas between them. */
export const ACTIONS = [
  ['', 'Any action'],
  [LIMITS_REACHED.join(), 'Limits reached'],
  ...Object.entries(BY_TARGET).flatMap(([type, names]) =>
    names.split(' ').map((name) => [`${type}.${name}`, `${type}.${name}`] as const),
  ),
  ...LIMITS_REACHED.map((action) => [action, action] as const),
] as const;
