import fc from 'fast-check';
import {
  badPaging,
  caller,
  maybeBad,
  maybeWorkspace,
  paging,
  ref,
  user,
  type ValueOf,
} from './model-references.js';

type Fields = Readonly<Record<string, unknown>>;

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

const time = fc.constantFrom('2031-02-03T04:05:06Z', '1999-12-31T23:59:59.5Z');

const badInEveryBody: readonly Fields[] = [
  { name: '' },
  { name: 7 },
  { limit: -0.01 },
  { limit: '5' },
  { limit_reset: 'yearly' },
  { include_byok_in_limit: 'true' },
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
      include_byok_in_limit: fc.constantFrom(true, false, null),
      creator_user_id: fc.oneof(user, fc.constant(null)),
      expires_at: fc.option(time),
      external: fc.option(
        fc.record({
          user: fc.constantFrom('u1', 'u2'),
          lookup_key: fc.option(fc.string({ minLength: 1, maxLength: 9, unit: 'grapheme-ascii' })),
        }),
      ),
      unknown: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: ['name'] },
  ),
  bad: maybeBad<unknown>([
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
  bad: maybeBad<unknown>([
    ...badInEveryBody,
    { disabled: 'yes' },
    { disabled: null },
    { include_byok_in_limit: null },
  ]),
});

const changeExpiry = fc.record({
  type: fc.constant('change-expiry' as const),
  caller,
  key: ref,
  expires_at: fc.option(time),
  bad: maybeBad<unknown>([{ expires_at: '2031-02-03T04:05Z' }, { disabled: true }]),
});

const oneKey = fc.record({
  type: fc.constantFrom('read-key' as const, 'read-key' as const, 'delete-key' as const),
  caller,
  key: ref,
});

const verifyKey = fc.record({
  type: fc.constant('verify-key' as const),
  caller,
  key: ref,
  workspace: maybeWorkspace,
  bad: maybeBad<unknown>([
    { hash: 'a' },
    { hash: null },
    { key: 'a' },
    { workspace_id: '' },
    { unknown: true },
  ]),
});

const filters = {
  creator_user_id: user,
  external_user: fc.constantFrom('u1', 'u2', 'u3'),
  expires_before: fc.constantFrom('2031-02-03T04:05:06Z', '2040-01-01T00:00:00Z'),
  expires_after: time,
};

/** Any filters. Most often those by expiry, which are valid only alone. */
const someFilters: fc.Arbitrary<Partial<Record<keyof typeof filters, string>>> = fc.oneof(
  fc.record(filters, { requiredKeys: [] }),
  fc.record({ expires_before: filters.expires_before, expires_after: time }),
);

const listKeys = fc.record({
  type: fc.constant('list-keys' as const),
  caller,
  workspace: fc.oneof(maybeWorkspace, fc.constant('all' as const)),
  query: fc
    .tuple(
      fc.record(
        { ...paging, include_disabled: fc.constantFrom('true', 'false') },
        { requiredKeys: [] },
      ),
      someFilters,
    )
    .map(([page, filter]) => ({ ...page, ...filter })),
  bad: maybeBad<string>([
    ...badPaging,
    { include_disabled: '1' },
    { name: 'first' },
    { external_user: ' u1' },
    { creator_user_id: 'u'.repeat(513) },
  ]),
});

export type KeyStep = ValueOf<typeof keyStep>;

export const keyStep = fc.oneof(
  { weight: 4, arbitrary: createKey },
  { weight: 6, arbitrary: updateKey },
  { weight: 2, arbitrary: changeExpiry },
  { weight: 2, arbitrary: oneKey },
  { weight: 4, arbitrary: verifyKey },
  { weight: 3, arbitrary: listKeys },
);
