import fc from 'fast-check';
import { badPaging, caller, maybeBad, paging, type ValueOf } from './model-references.js';

const user = fc.constantFrom('ada', 'Ada', 'a b', '.', '..', 'é', 'e\u0301', '\u{1f511}', '%2F');
const badUsers = ['', ' a', 'a\n', 'a\0b', '\ud800', '\ufeffa', 'x'.repeat(513), 5, null];

const register = fc.record({
  type: fc.constant('register' as const),
  caller,
  user,
  bad: maybeBad<unknown>([
    { user: undefined },
    { more: 1 },
    ...badUsers.map((id) => ({ user: id })),
  ]),
});

const list = fc.record({
  type: fc.constant('list' as const),
  caller,
  query: fc.record(
    { ...paging, user, include_inactive: fc.constantFrom('true', 'false') },
    { requiredKeys: [] },
  ),
  bad: maybeBad<string>([...badPaging, { user: ' a' }, { include_inactive: 'yes' }]),
});

/** Tracking strings that a path can name. */
const userInPath = user.filter((id) => id !== '.' && id !== '..');

const oneEndUser = fc.record({
  type: fc.constantFrom('read-end-user' as const, 'deactivate-end-user' as const),
  caller,
  user: userInPath,
});

const updateEndUser = fc.record({
  type: fc.constant('update-end-user' as const),
  caller,
  user: userInPath,
  is_active: fc.boolean(),
  bad: maybeBad<unknown>([
    { is_active: undefined },
    { is_active: null },
    { is_active: 'true' },
    { user: 'b' },
  ]),
});

export type EndUserStep = ValueOf<typeof endUserStep>;

export const endUserStep = fc.oneof(
  { weight: 3, arbitrary: register },
  { weight: 4, arbitrary: list },
  { weight: 2, arbitrary: oneEndUser },
  { weight: 2, arbitrary: updateEndUser },
);
