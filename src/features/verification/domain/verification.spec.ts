import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { DAY_MS } from '../../../kernel/day.js';
import type { NanoUsd } from '../../../kernel/usd.js';
import type { LimitReset } from '../../../kernel/limit-reset.js';
import { countedPart, type Limited, SUBJECT_KINDS, windowOf } from '../../keys/domain/limit.js';
import {
  type AskedLimit,
  askedLimit,
  endUserOf,
  exceededLimit,
  isUsedUp,
  leastRemaining,
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
};

/** What has a limit, or none, with what was spent toward it. */
interface Spender extends Limited {
  readonly spent: Spending;
}

/** The key, the end user and the workspace, in this order. */
type Spenders = readonly Spender[];

/** Spending in millionths of a USD by day: own and BYOK. */
type Spending = readonly { readonly day: number; readonly own: number; readonly byok: number }[];

/** Times in whole milliseconds, as an expiry is stored. */
const moments = fc
  .date({ min: new Date('2026-01-01T00:00:00Z'), max: new Date('2027-01-10T00:00:00Z') })
  .filter((date) => !Number.isNaN(date.getTime()));

/** Gives what counts toward a limit, from single days. */
function spentAt({ spent, ...limited }: Spender, now: Date): NanoUsd {
  const since = limited.limit_reset === null ? '' : windowOf(limited.limit_reset, now).since;
  return spent
    .filter(({ day }) => new Date(day * DAY_MS).toISOString() >= since)
    .map(({ own, byok }) => ({ usage: BigInt(own * 1_000), byok_usage: BigInt(byok * 1_000) }))
    .reduce((sum, one) => sum + countedPart(limited, one), 0n);
}

/** Gives the limits of those that have one. */
function limitsOf(spenders: Spenders, now: Date): AskedLimit[] {
  return spenders.flatMap((spender, index) => {
    const { limit, limit_reset } = spender;
    const scope = SUBJECT_KINDS[index] ?? 'key';
    if (limit === null) return [];
    return [askedLimit({ scope, limit, limit_reset, spent: spentAt(spender, now) })];
  });
}

/** Walks back from `now` day by day to the first day of the window. Gives millionths of a USD. */
function naiveSpending({ spent, limit_reset, ...limited }: Spender, now: Date): number {
  const today = Math.floor(now.getTime() / DAY_MS);
  const begins = (day: number): boolean => {
    const date = new Date(day * DAY_MS);
    if (limit_reset === 'daily') return true;
    return limit_reset === 'weekly' ? date.getUTCDay() === 1 : date.getUTCDate() === 1;
  };
  let first = today;
  if (limit_reset !== null) while (!begins(first)) first -= 1;
  return spent
    .filter(({ day }) => limit_reset === null || day >= first)
    .reduce((sum, { own, byok }) => sum + own + (limited.include_byok_in_limit ? byok : 0), 0);
}

/** Gives what remains of each limit, in millionths of a USD; null without one. */
function naiveRemaining(spenders: Spenders, now: Date): (number | null)[] {
  return spenders.map((spender) => {
    if (spender.limit === null) return null;
    return Math.max(0, Math.round(spender.limit * 1e6) - naiveSpending(spender, now));
  });
}

/** Collects every code that applies and takes the first of the list. */
function naive(
  key: VerifiedKey | 'malformed' | null,
  spenders: Spenders,
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
    if (naiveRemaining(spenders, now).includes(0)) applies.add('LIMIT_EXCEEDED');
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
    expect(verify({ ...plain, disabled, expires_at }, FIRST, [], new Date(NOON))).toBe(code);
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
    expect(verify({ ...plain, disabled: true, strings }, hash, [], new Date(NOON))).toBe(code);
    expect(verify({ ...plain, disabled: true }, 'later', [], new Date(NOON))).toBe('ROTATED');
  });

  it('exceeds a limit of 0 from the start', () => {
    const limits = [askedLimit({ scope: 'key', limit: 0, limit_reset: null, spent: 0n })];
    expect(verify(plain, FIRST, limits, new Date(NOON))).toBe('LIMIT_EXCEEDED');
    expect(exceededLimit(limits, new Date(NOON))).toEqual({
      scope: 'key',
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
    });
    const presented = fc.oneof(
      { weight: 20, arbitrary: keys },
      fc.constant('malformed' as const),
      fc.constant(null),
    );
    const amounts = fc.record({
      day: fc.integer({ min: 0, max: 40 }),
      own: fc.integer({ min: 0, max: 9 }),
      byok: fc.integer({ min: 0, max: 9 }),
    });
    const spender = fc.record({
      limit: fc.option(fc.integer({ min: 0, max: 40 }).map((micros) => micros / 1e6)),
      limit_reset: fc.option(fc.constantFrom<LimitReset>('daily', 'weekly', 'monthly')),
      include_byok_in_limit: fc.boolean(),
      spent: fc.array(amounts),
    });
    const three = fc.tuple(spender, spender, spender);
    const demanded = fc.option(fc.constantFrom('home', 'nowhere'), { nil: undefined });
    fc.assert(
      fc.property(presented, moments, three, demanded, (key, time, histories, wanted) => {
        // The clock also has the time of the expiry, and a millisecond before and after it.
        const expiry = typeof key === 'object' && key?.expires_at;
        const at = typeof expiry === 'string' ? Date.parse(expiry) : time.getTime();
        for (const now of [time, ...[at - 1, at, at + 1].map((ms) => new Date(ms))]) {
          const today = Math.floor(now.getTime() / DAY_MS);
          const spenders = histories.map((one) => {
            const spent = one.spent.map(({ day, ...rest }) => ({ day: today - day, ...rest }));
            return { ...one, spent };
          });
          const limits = limitsOf(spenders, now);
          const code = naive(key, spenders, now, wanted);
          expect(verify(key, FIRST, limits, now, wanted)).toBe(code);
          // A limit after the first one that is used up is not asked about.
          const first = limits.findIndex(isUsedUp);
          const asked = first < 0 ? limits : limits.slice(0, first + 1);
          expect(verify(key, FIRST, asked, now, wanted)).toBe(code);
          const remaining = naiveRemaining(spenders, now);
          const scope = SUBJECT_KINDS[remaining.indexOf(0)];
          expect(exceededLimit(asked, now)?.scope).toBe(scope);
          const left = remaining.filter((one) => one !== null);
          const least = left.length === 0 ? undefined : String(Math.min(...left));
          expect(leastRemaining(asked)?.times(1e6).toFixed()).toBe(least);
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
    const limits = [askedLimit({ scope: 'workspace', limit: 0, limit_reset, spent: 0n })];
    const exceeded = exceededLimit(limits, new Date(now));
    expect(exceeded).toMatchObject({ scope: 'workspace', interval: limit_reset, resets_at });
  });

  it('names the first limit that is used up, and counts in whole nanodollars', () => {
    const limit = { scope: 'key', limit: 1, limit_reset: null } as const;
    const limits = [
      askedLimit({ ...limit, spent: 999_999_999n }),
      askedLimit({ ...limit, scope: 'end-user', limit: 2, spent: 2_000_000_000n }),
      askedLimit({ ...limit, scope: 'workspace', spent: 5_000_000_000n }),
    ];
    expect(exceededLimit(limits, new Date(NOON))).toMatchObject({
      scope: 'end-user',
      limit: 2,
      usage: 2,
    });
    expect(exceededLimit(limits.slice(0, 1), new Date(NOON))).toBeNull();
    expect(leastRemaining(limits.slice(0, 1))?.toFixed()).toBe('0.000000001');
  });

  it.each([
    ['organization', null, undefined, null],
    ['organization', null, 'named', 'named'],
    ['organization', 'made for', undefined, 'made for'],
    ['organization', 'made for', 'named', 'made for'],
    ['individual', 'made for', 'named', null],
  ] as const)(
    'in an account that is an %s of a key made for %j that names %j asks about %j',
    (kind, external_user, named, user) => {
      expect(endUserOf({ external_user }, kind, named)).toBe(user);
    },
  );
});
