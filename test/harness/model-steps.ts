import fc from 'fast-check';
import { type KeyStep, keyStep } from './model-key-steps.js';

/** Who calls: one of the accounts by its number, somebody with an API key, or somebody without a key. */
export type StepCaller = number | 'api-key' | 'nobody';

/** A thing by its number among the account's own or among all, those of other accounts too; or one that does not exist. */
export type Ref = { readonly among: 'own' | 'all'; readonly number: number } | 'unknown';

export type Step =
  | KeyStep
  | {
      readonly type: 'create-key';
      readonly caller: StepCaller;
      readonly workspace: Ref | undefined;
      readonly fields: Readonly<Record<string, unknown>>;
      /** Fields with values that no key can have; they replace the good ones. */
      readonly bad: Readonly<Record<string, unknown>> | undefined;
    }
  | {
      readonly type: 'update-key';
      readonly caller: StepCaller;
      readonly key: Ref;
      readonly workspace: Ref | undefined;
      readonly fields: Readonly<Record<string, unknown>>;
      readonly bad: Readonly<Record<string, unknown>> | undefined;
    }
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
      readonly type: 'add-member' | 'remove-member';
      readonly account: number;
      readonly user: string;
    }
  | {
      readonly type: 'create-workspace';
      readonly account: number;
      readonly restrictions: readonly string[];
    }
  | {
      readonly type: 'restrict-workspace';
      readonly account: number;
      readonly workspace: Ref;
      readonly restrictions: readonly string[];
    }
  | {
      readonly type: 'add-workspace-member' | 'remove-workspace-member';
      readonly account: number;
      readonly workspace: Ref;
      readonly user: string;
    };

/** People whom accounts may have as members. Few, so that steps meet. */
const user = fc.constantFrom('ada', 'bob', 'grace', 'owner');
/** The first account is busiest, so that steps meet. */
const account = fc.constantFrom(0, 0, 0, 1, 2);
const caller: fc.Arbitrary<StepCaller> = fc.oneof(
  { weight: 20, arbitrary: account },
  { weight: 1, arbitrary: fc.constantFrom<StepCaller>('api-key', 'nobody') },
);
const ref: fc.Arbitrary<Ref> = fc.oneof(
  { weight: 16, arbitrary: fc.record({ among: fc.constant('own' as const), number: fc.nat(3) }) },
  { weight: 2, arbitrary: fc.record({ among: fc.constant('all' as const), number: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.constant('unknown' as const) },
);
const maybeWorkspace = fc.option(ref, { nil: undefined, freq: 2 });
const restrictions = fc.subarray(['eu-only', 'zero-retention', 'no-training'], { maxLength: 2 });
const limit = fc.oneof(
  fc.constantFrom(null, 0, 0.1, 25),
  fc.double({ min: 0, noNaN: true, max: 1e9 }),
);
const limitReset = fc.constantFrom(null, 'daily', 'weekly', 'monthly');
const name = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('first', 'second') },
  { weight: 1, arbitrary: fc.string({ minLength: 1, unit: 'grapheme' }) },
);
const cleanName = name.filter((text) => !text.includes('\0'));

function maybeBad(
  bad: readonly Readonly<Record<string, unknown>>[],
): fc.Arbitrary<Readonly<Record<string, unknown>> | undefined> {
  return fc.option(fc.constantFrom(...bad), { nil: undefined, freq: 15 });
}

const badInEveryBody = [
  { name: '' },
  { name: 7 },
  { limit: -0.01 },
  { limit: '5' },
  { limit_reset: 'yearly' },
  { include_byok_in_limit: 'true' },
  { include_byok_in_limit: null },
  { workspace_id: 7 },
];

const createKey = fc.record({
  type: fc.constant('create-key' as const),
  caller,
  workspace: maybeWorkspace,
  fields: fc.record(
    {
      name: cleanName,
      limit,
      limit_reset: limitReset,
      include_byok_in_limit: fc.boolean(),
      creator_user_id: fc.oneof(user, fc.constant(null)),
      expires_at: fc.constantFrom(null, '2031-02-03T04:05:06Z', '1999-12-31T23:59:59.5Z'),
      external: fc.record({
        user: fc.constantFrom('u1', 'u2'),
        lookup_key: fc.string({ minLength: 1, maxLength: 9, unit: 'grapheme-ascii' }),
      }),
      unknown: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: ['name'] },
  ),
  bad: maybeBad([
    ...badInEveryBody,
    { creator_user_id: '' },
    { expires_at: '2031-02-03T04:05Z' },
    { expires_at: '2031-02-30T00:00:00Z' },
    { external: 'u1' },
    { external: { user: ' u1' } },
    { external: { user: 'u1', lookup_key: 'a', api_key: 'b' } },
  ]),
});

const updateKey = fc.record({
  type: fc.constant('update-key' as const),
  caller,
  key: ref,
  workspace: maybeWorkspace,
  fields: fc.record(
    {
      name: cleanName,
      disabled: fc.boolean(),
      limit,
      limit_reset: limitReset,
      include_byok_in_limit: fc.boolean(),
      expires_at: fc.constant('2031-02-03T04:05:06Z'),
    },
    { requiredKeys: [] },
  ),
  bad: maybeBad([...badInEveryBody, { disabled: 'yes' }, { disabled: null }]),
});

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

const operatorStep = fc.oneof(
  fc.record({
    type: fc.constantFrom('add-member' as const, 'remove-member' as const),
    account,
    user,
  }),
  fc.record({ type: fc.constant('create-workspace' as const), account, restrictions }),
  fc.record({
    type: fc.constant('restrict-workspace' as const),
    account,
    workspace: ref,
    restrictions,
  }),
  fc.record({
    type: fc.constantFrom('add-workspace-member' as const, 'remove-workspace-member' as const),
    account,
    workspace: ref,
    user,
  }),
);

/** A step of any kind; bad values and foreign things among the good ones. */
export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: createKey },
  { weight: 6, arbitrary: updateKey },
  { weight: 4, arbitrary: keyStep(caller, ref) },
  { weight: 2, arbitrary: register },
  { weight: 2, arbitrary: list },
  { weight: 5, arbitrary: operatorStep },
);

/** What gives the first account something to be busy with: two workspaces, a restricted one and one with members. */
export const firstSteps: readonly Step[] = [
  { type: 'create-workspace', account: 0, restrictions: ['eu-only'] },
  { type: 'create-workspace', account: 0, restrictions: [] },
  { type: 'add-member', account: 0, user: 'ada' },
  ...(['ada', 'owner'] as const).map((member): Step => ({
    type: 'add-workspace-member',
    account: 0,
    workspace: { among: 'own', number: 2 },
    user: member,
  })),
];
