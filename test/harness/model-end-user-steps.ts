import fc from 'fast-check';
import type { StepCaller } from './model-steps.js';

export interface RegisterStep {
  readonly type: 'register';
  readonly caller: StepCaller;
  readonly body: Readonly<Record<string, unknown>>;
  readonly good: boolean;
}

export interface ListStep {
  readonly type: 'list';
  readonly caller: StepCaller;
  readonly query: Readonly<Record<string, string>>;
  readonly good: boolean;
}

/** Of one end user by path; by either name of the routes. */
export interface ByPathStep {
  readonly type: 'read-end-user' | 'update-end-user' | 'deactivate-end-user';
  readonly caller: StepCaller;
  readonly routes: 'end-users' | 'external-users';
  readonly user: string;
  /** Of an update; anything but one boolean is bad. */
  readonly body: Readonly<Record<string, unknown>>;
}

export type EndUserStep = RegisterStep | ListStep | ByPathStep;

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

const register = (caller: fc.Arbitrary<StepCaller>): fc.Arbitrary<RegisterStep> =>
  fc.oneof(
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

/** What can stand in a path and names no end user. */
export const NOBODY: readonly string[] = [' a', 'a\n', 'a\0b', 'x'.repeat(513)];

const byPath = (caller: fc.Arbitrary<StepCaller>): fc.Arbitrary<ByPathStep> =>
  fc.record({
    type: fc.constantFrom(
      'read-end-user' as const,
      'update-end-user' as const,
      'deactivate-end-user' as const,
    ),
    caller,
    routes: fc.constantFrom('end-users' as const, 'external-users' as const),
    user: fc.oneof(
      { weight: 8, arbitrary: goodUser.filter((id) => id !== '.' && id !== '..') },
      { weight: 1, arbitrary: fc.constantFrom(...NOBODY) },
    ),
    body: fc.oneof(
      { weight: 5, arbitrary: fc.boolean().map((is_active) => ({ is_active })) },
      {
        weight: 1,
        arbitrary: fc.constantFrom<object>({}, { is_active: 1 }, { is_active: true, more: 1 }),
      },
    ) as fc.Arbitrary<Record<string, unknown>>,
  });

const list = (caller: fc.Arbitrary<StepCaller>): fc.Arbitrary<ListStep> =>
  fc.oneof(
    fc.record({
      type: fc.constant('list' as const),
      caller,
      query: fc.record(
        {
          offset: fc.nat(10).map(String),
          limit: fc.integer({ min: 1, max: 100 }).map(String),
          user: goodUser,
          include_inactive: fc.constantFrom('true', 'false'),
          unknown: fc.constant('x'),
        },
        { requiredKeys: [] },
      ),
      good: fc.constant(true),
    }),
    fc.record({
      type: fc.constant('list' as const),
      caller,
      query: fc.constantFrom<Record<string, string>>(
        { limit: '0' },
        { limit: '101' },
        { limit: '1e1' },
        { offset: '-1' },
        { offset: '' },
        { user: ' a' },
        { include_inactive: 'yes' },
      ),
      good: fc.constant(false),
    }),
  );

/** A step that concerns end users. */
export function endUserStep(caller: fc.Arbitrary<StepCaller>): fc.Arbitrary<EndUserStep> {
  return fc.oneof(
    { weight: 2, arbitrary: register(caller) },
    { weight: 2, arbitrary: list(caller) },
    { weight: 3, arbitrary: byPath(caller) },
  );
}
