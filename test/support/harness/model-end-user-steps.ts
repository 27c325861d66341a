import fc from 'fast-check';
import { badPaging, caller, paging, type StepCaller } from './model-references.js';

export type EndUserStep =
  | {
      readonly type: 'register';
      readonly caller: StepCaller;
      readonly body: Readonly<Record<string, unknown>>;
      readonly good: boolean;
    }
  | {
      readonly type: 'list';
      readonly caller: StepCaller;
      readonly query: Readonly<Record<string, string>>;
      readonly good: boolean;
    }
  | {
      readonly type: 'read-end-user' | 'deactivate-end-user';
      readonly caller: StepCaller;
      readonly user: string;
    }
  | {
      readonly type: 'update-end-user';
      readonly caller: StepCaller;
      readonly user: string;
      readonly body: Readonly<Record<string, unknown>>;
      readonly good: boolean;
    };

const goodUser = fc.constantFrom(
  'ada',
  'Ada',
  'a b',
  '.',
  '..',
  'é',
  'e\u0301',
  '\u{1f511}',
  '%2F',
);
const badUsers = ['', ' a', 'a\n', 'a\0b', '\ud800', '\ufeffa', 'x'.repeat(513), 5, null];

const register = fc.oneof(
  fc.record({
    type: fc.constant('register' as const),
    caller,
    body: goodUser.map((id) => ({ user: id })),
    good: fc.constant(true),
  }),
  fc.record({
    type: fc.constant('register' as const),
    caller,
    body: fc.constantFrom<object>(
      {},
      { user: 'a', more: 1 },
      ...badUsers.map((id) => ({ user: id })),
    ) as fc.Arbitrary<Record<string, unknown>>,
    good: fc.constant(false),
  }),
);

const list = fc.oneof(
  fc.record({
    type: fc.constant('list' as const),
    caller,
    query: fc.record(
      {
        ...paging,
        user: goodUser,
        include_inactive: fc.constantFrom('true', 'false'),
      },
      { requiredKeys: [] },
    ),
    good: fc.constant(true),
  }),
  fc.record({
    type: fc.constant('list' as const),
    caller,
    query: fc.constantFrom<Record<string, string>>(
      ...badPaging,
      { user: ' a' },
      { include_inactive: 'yes' },
    ),
    good: fc.constant(false),
  }),
);

/** Tracking strings that a path can name. */
const userInPath = goodUser.filter((user) => user !== '.' && user !== '..');

const oneEndUser = fc.record({
  type: fc.constantFrom('read-end-user' as const, 'deactivate-end-user' as const),
  caller,
  user: userInPath,
});

const updateEndUser = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      type: fc.constant('update-end-user' as const),
      caller,
      user: userInPath,
      body: fc.record({ is_active: fc.boolean() }),
      good: fc.constant(true),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('update-end-user' as const),
      caller,
      user: userInPath,
      body: fc.constantFrom<Record<string, unknown>>(
        {},
        { is_active: null },
        { is_active: 'true' },
        { is_active: true, user: 'b' },
      ),
      good: fc.constant(false),
    }),
  },
);

export const endUserStep: fc.Arbitrary<EndUserStep> = fc.oneof(
  { weight: 3, arbitrary: register },
  { weight: 4, arbitrary: list },
  { weight: 2, arbitrary: oneEndUser },
  { weight: 2, arbitrary: updateEndUser },
);
