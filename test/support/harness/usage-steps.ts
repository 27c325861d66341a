import fc from 'fast-check';
import { DAY_MS } from './usage-model.js';

const MINUTE_MS = 60_000;
const OLDEST_MS = 35 * DAY_MS;
const AHEAD_MS = 5 * MINUTE_MS;

/**
 * Moments before an end of a day, a week, a month or a year, in leap years and in years of 53
 * weeks.
 */
export const BEGINNINGS = [
  '2024-02-28T23:58:00.000Z',
  '2024-02-29T23:57:59.999Z',
  '2023-02-28T23:59:59.999Z',
  '2020-12-31T23:56:00.000Z',
  '2021-01-03T23:59:00.000Z',
  '2026-12-27T23:59:59.000Z',
  '2027-01-03T12:00:00.000Z',
  '2025-08-31T23:55:30.000Z',
  '2026-03-01T00:00:00.000Z',
];

/** Keys in turn: four of the account, an unknown one, and one of another account. */
export const KEYS = 6;
const amount = fc.oneof(
  fc.bigInt({ min: 0n, max: 3_000_000_000n }),
  fc.constantFrom(0n, 1n, 300_000_000n, 10n ** 15n),
);
export const RESETS = ['daily', 'weekly', 'monthly', null] as const;
const reset = fc.constantFrom(...RESETS);
const limit = fc.constantFrom('0', '0.3', '1', '2.5', '4', '1000000', '0.3000000001', null);
/** The last one is that of a key, whatever records name. */
export const USERS = ['ada', 'Ångström', 'ben'] as const;
const ownKey = fc.nat({ max: KEYS - 3 });

/** A record: the time is in milliseconds after now, and midnights are what is near to them. */
const record = fc.record({
  key: fc.nat({ max: KEYS - 1 }),
  cost: amount,
  byok: fc.option(amount),
  asText: fc.boolean(),
  requests: fc.option(fc.nat({ max: 1_000_000 })),
  after: fc.option(
    fc.oneof(
      fc.constantFrom(0, -1, AHEAD_MS, -OLDEST_MS, -DAY_MS, -7 * DAY_MS),
      fc.integer({ min: -40 * MINUTE_MS, max: AHEAD_MS }),
      fc.integer({ min: -OLDEST_MS, max: AHEAD_MS }),
    ),
  ),
  user: fc.option(fc.constantFrom(...USERS)),
});
export type Item = typeof record extends fc.Arbitrary<infer Value> ? Value : never;

export const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('report' as const),
      items: fc.array(record, { minLength: 1, maxLength: 5 }),
      atOnce: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('repeat' as const), which: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('reverse' as const), which: fc.nat() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('late' as const),
      item: record,
      after: fc.constantFrom(AHEAD_MS + 1, -OLDEST_MS - 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('clock' as const),
      to: fc.oneof(
        fc.constantFrom('just before midnight', 'midnight', 'Monday', 'the 1st'),
        fc.constantFrom(1, 2 * MINUTE_MS, DAY_MS, 36 * DAY_MS),
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('change' as const),
      key: ownKey,
      limit: fc.option(limit, { nil: undefined }),
      reset: fc.option(reset, { nil: undefined }),
      byok: fc.option(fc.boolean(), { nil: undefined }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('budget' as const),
      /** Two workspaces, three users, and the common budget of users. */
      of: fc.nat({ max: 5 }),
      limit,
      reset,
      byok: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('move' as const), key: ownKey }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('delete' as const), key: ownKey }) },
);
export type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
