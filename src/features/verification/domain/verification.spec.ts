import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DAY_MS } from '../../../kernel/day.js';
import type { NanoUsd } from '../../../kernel/usd.js';
import type { LimitReset } from '../../keys/domain/key.js';
import { countedPart, windowOf } from '../../keys/domain/limit.js';
import {
  exceededLimit,
  VERIFICATION_CODES,
  type VerificationCode,
  type VerifiedKey,
  verify,
} from './verification.js';

const NOON = '2026-01-01T12:00:00.000Z';

const FIRST = 'a'.repeat(64);

const plain: VerifiedKey = {
  hash: FIRST,
  created_at: '2025-01-01T00:00:00.000Z',
  disabled: false,
  expires_at: null,
  workspace_id: 'home',
  limit: null,
  limit_reset: null,
  include_byok_in_limit: false,
};

/** Spending in millionths of a USD by day: own and BYOK. */
type Spending = readonly { readonly day: number; readonly own: number; readonly byok: number }[];

/** Times in whole milliseconds, as an expiry is stored. */
const moments = fc
  .date({ min: new Date('2026-01-01T00:00:00Z'), max: new Date('2027-01-10T00:00:00Z') })
  .filter((date) => !Number.isNaN(date.getTime()));

/** Gives what counts toward the limit of a key, from single days. */
function spentAt(key: VerifiedKey | 'malformed' | null, spent: Spending, now: Date): NanoUsd {
  if (key === null || key === 'malformed') return 0n;
  const since = key.limit_reset === null ? '' : windowOf(key.limit_reset, now).since;
  return spent
    .filter(({ day }) => new Date(day * DAY_MS).toISOString() >= since)
    .map(({ own, byok }) => ({ usage: BigInt(own * 1_000), byok_usage: BigInt(byok * 1_000) }))
    .reduce((sum, one) => sum + countedPart(key, one), 0n);
}

/** Walks back from `now` day by day to the first day of the window. */
function naiveSpending(key: VerifiedKey, spent: Spending, now: Date): number {
  const today = Math.floor(now.getTime() / DAY_MS);
  const begins = (day: number): boolean => {
    const date = new Date(day * DAY_MS);
    if (key.limit_reset === 'daily') return true;
    return key.limit_reset === 'weekly' ? date.getUTCDay() === 1 : date.getUTCDate() === 1;
  };
  let first = today;
  if (key.limit_reset !== null) while (!begins(first)) first -= 1;
  return spent
    .filter(({ day }) => key.limit_reset === null || day >= first)
    .reduce((sum, { own, byok }) => sum + own + (key.include_byok_in_limit ? byok : 0), 0);
}

/** Collects every code that applies and takes the first of the list. */
function naive(
  key: VerifiedKey | 'malformed' | null,
  spent: Spending,
  now: Date,
  workspaceId?: string,
): VerificationCode {
  const applies = new Set<VerificationCode>(['VALID']);
  if (key === 'malformed') applies.add('MALFORMED');
  else if (key === null) applies.add('NOT_FOUND');
  else {
    if (key.disabled) applies.add('DISABLED');
    if (key.expires_at !== null && !(new Date(key.expires_at) > now)) applies.add('EXPIRED');
    if (![undefined, key.workspace_id].includes(workspaceId)) applies.add('WRONG_WORKSPACE');
    if (key.limit !== null && naiveSpending(key, spent, now) >= Math.round(key.limit * 1e6))
      applies.add('LIMIT_EXCEEDED');
  }
  return VERIFICATION_CODES.find((code) => applies.has(code)) ?? 'VALID';
}

describe('a verification', () => {
  it.each([
    [false, null, 'VALID'],
    [false, '2026-01-01T12:00:00.001Z', 'VALID'],
    [false, NOON, 'EXPIRED'],
    [false, '2025-12-31T00:00:00.000Z', 'EXPIRED'],
    [true, null, 'DISABLED'],
    [true, NOON, 'DISABLED'],
  ])('of a key with disabled %j that expires at %j is at noon %s', (disabled, expires_at, code) => {
    expect(verify({ ...plain, disabled, expires_at }, FIRST, 0n, new Date(NOON))).toBe(code);
  });

  it.each([
    ['the first one before its end', FIRST, '2026-01-01T12:00:00.001Z', 'DISABLED'],
    ['the first one at its end', FIRST, NOON, 'ROTATED'],
    ['a later one', 'later', NOON, 'DISABLED'],
    ['one that the key does not list', 'other', NOON, 'ROTATED'],
  ])('of a disabled key by %s is %s, %s: %s', (_, hash, ends_at, code) => {
    const { created_at } = plain;
    const strings = [
      { hash: FIRST, created_at, ends_at },
      { hash: 'later', created_at, ends_at: null },
    ];
    expect(verify({ ...plain, disabled: true, strings }, hash, 0n, new Date(NOON))).toBe(code);
    expect(verify({ ...plain, disabled: true }, 'later', 0n, new Date(NOON))).toBe('ROTATED');
  });

  it('exceeds a limit of 0 from the start', () => {
    const key = { ...plain, limit: 0 };
    expect(verify(key, FIRST, 0n, new Date(NOON))).toBe('LIMIT_EXCEEDED');
    expect(exceededLimit(key, 0n, new Date(NOON))).toEqual({
      interval: 'lifetime',
      limit: 0,
      usage: 0,
      resets_at: null,
    });
  });

  it('agrees with a naive one at every moment', () => {
    const keys = fc.record({
      hash: fc.constant(FIRST),
      created_at: fc.constant(plain.created_at),
      disabled: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
      expires_at: fc.option(moments.map((date) => date.toISOString())),
      workspace_id: fc.constantFrom('home', 'elsewhere'),
      limit: fc.option(fc.integer({ min: 0, max: 20 }).map((micros) => micros / 1e6)),
      limit_reset: fc.option(fc.constantFrom<LimitReset>('daily', 'weekly', 'monthly')),
      include_byok_in_limit: fc.boolean(),
    });
    const presented = fc.oneof(
      { weight: 20, arbitrary: keys },
      fc.constant('malformed' as const),
      fc.constant(null),
    );
    const amounts = fc.record({
      daysAgo: fc.integer({ min: 0, max: 40 }),
      own: fc.integer({ min: 0, max: 9 }),
      byok: fc.integer({ min: 0, max: 9 }),
    });
    const demanded = fc.option(fc.constantFrom('home', 'nowhere'), { nil: undefined });
    fc.assert(
      fc.property(presented, moments, fc.array(amounts), demanded, (key, time, spent, wanted) => {
        // The clock also has the time of the expiry, and a millisecond before and after it.
        const expiry = typeof key === 'object' && key?.expires_at;
        const at = typeof expiry === 'string' ? Date.parse(expiry) : time.getTime();
        for (const now of [time, ...[at - 1, at, at + 1].map((ms) => new Date(ms))]) {
          const today = Math.floor(now.getTime() / DAY_MS);
          const days = spent.map(({ daysAgo, ...rest }) => ({ day: today - daysAgo, ...rest }));
          const code = verify(key, FIRST, spentAt(key, days, now), now, wanted);
          expect(code).toBe(naive(key, days, now, wanted));
        }
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['daily', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
    ['weekly', '2026-03-02T00:00:00.000Z', '2026-03-09T00:00:00.000Z'],
    ['weekly', '2026-03-08T23:59:59.999Z', '2026-03-09T00:00:00.000Z'],
    ['monthly', '2026-01-31T12:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['monthly', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
  ] as const)('of a %s limit at %s says that it resets at %s', (limit_reset, now, resets_at) => {
    const exceeded = exceededLimit({ ...plain, limit: 0, limit_reset }, 0n, new Date(now));
    expect(exceeded).toMatchObject({ interval: limit_reset, resets_at });
  });
});
