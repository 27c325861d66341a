import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { foldedUsage, oneByOne, usedAt } from '../../../../test/support/histories/usage.js';
import { DAY_MS, dayOf } from '../../../kernel/day.js';
import type { NanoUsd } from '../../../kernel/usd.js';
import { LIMIT_RESETS, type LimitReset } from '../../../kernel/limit-reset.js';
import {
  exactLimitRemaining,
  limitRemaining,
  NEVER_USED,
  spentTowardLimit,
  type UsageByWindow,
} from '../../keys/domain/limit.js';
import type { SubjectUsage } from './subject-usage.js';
import {
  countedOfUsage,
  countedOfDay,
  countingOf,
  countsSo,
  usageIn,
  windowsAt,
} from './spent-toward-limit.js';
import type { UsageRecord } from './usage-record.js';

const usageAt = (usage: SubjectUsage | undefined, now: Date): UsageByWindow =>
  usage ? usageIn(windowsAt(now), usage) : NEVER_USED;

/** Midnights of days, months, years, a leap day, and ends of the 53rd weeks of 2026 and 2032. */
const midnights = [
  '2026-03-02',
  '2026-12-28',
  '2027-01-01',
  '2027-01-04',
  '2028-02-29',
  '2028-03-01',
  '2028-05-17',
  '2033-01-03',
];

describe('the use at a moment', () => {
  /** The first day of a window, found by walking back from today. */
  function firstDay(reset: LimitReset, now: Date): number {
    const begins = (day: number): boolean => {
      const date = new Date(day * DAY_MS);
      if (reset === 'daily') return true;
      return reset === 'weekly' ? date.getUTCDay() === 1 : date.getUTCDate() === 1;
    };
    let day = Math.floor(now.getTime() / DAY_MS);
    while (!begins(day)) day -= 1;
    return day;
  }

  /** The sum of raw records in the window that contains `now`, to the end of the window. */
  function recount(records: readonly UsageRecord[], reset: LimitReset, now: Date): NanoUsd {
    const first = firstDay(reset, now);
    let next = first + 1;
    while (firstDay(reset, new Date(next * DAY_MS)) === first) next += 1;
    return records
      .filter(({ occurred_at }) => {
        const time = Date.parse(occurred_at ?? '');
        return time >= first * DAY_MS && time < next * DAY_MS;
      })
      .reduce((total, { cost }) => total + cost, 0n);
  }

  it('equals a recount of the records in every window around midnight, with late and early reports', () => {
    const acceptances = fc.record({
      /** How long before `now` the report is accepted, and how long before that it happened. */
      ago: fc.integer({ min: 0, max: 70 * DAY_MS }),
      late: fc.oneof(
        fc.integer({ min: -5 * 60_000, max: 5 * 60_000 }),
        fc.integer({ min: -5 * 60_000, max: 35 * DAY_MS }),
      ),
      cost: fc.bigInt({ min: 0n, max: 10n ** 15n }),
    });
    const moments = fc.tuple(
      fc.constantFrom(...midnights),
      fc.constantFrom(-300_000, -1, 0, 1, 43_200_000),
    );
    fc.assert(
      fc.property(moments, fc.array(acceptances, { maxLength: 30 }), ([day, offset], accepted) => {
        const now = new Date(Date.parse(day) + offset);
        const records = accepted.map(({ ago, late, cost }) =>
          usedAt(new Date(now.getTime() - ago - late).toISOString(), cost),
        );
        const usage = usageAt(foldedUsage(oneByOne(records)), now);
        for (const reset of LIMIT_RESETS) {
          const spent = recount(records, reset, now);
          expect(usage[reset]).toMatchObject({ usage: spent, byok_usage: 10n * spent });
        }
      }),
      { numRuns: 300 },
    );
  });

  it('counts what is reported ahead of midnight in the window of its own day', () => {
    const usage = foldedUsage([[usedAt('2026-03-03T00:01:00.000Z', 10n ** 9n)]]);
    const before = usageAt(usage, new Date('2026-03-02T23:59:00.000Z'));
    const spent = LIMIT_RESETS.map((reset) => before[reset].usage);
    expect(spent).toEqual([0n, 10n ** 9n, 10n ** 9n]);
    expect(usageAt(usage, new Date('2026-03-03T00:00:00.000Z')).daily.usage).toBe(10n ** 9n);
  });
});

describe('a decision', () => {
  const limited = fc.record({
    limit: fc.constant(1),
    limit_reset: fc.option(fc.constantFrom(...LIMIT_RESETS)),
    include_byok_in_limit: fc.boolean(),
  });
  const uses = fc.array(
    fc.record({ daysAgo: fc.integer({ min: 0, max: 61 }), cost: fc.bigInt({ min: 0n, max: 9n }) }),
  );

  it('counts what the record of the key shows, from documents and from single reports', () => {
    fc.assert(
      fc.property(limited, uses, fc.constantFrom(...midnights), (key, used, day) => {
        const now = new Date(Date.parse(day) + DAY_MS / 2);
        const records = used.map(({ daysAgo, cost }) =>
          usedAt(new Date(now.getTime() - daysAgo * DAY_MS).toISOString(), cost),
        );
        const usage = foldedUsage(oneByOne(records));
        const shown = spentTowardLimit(key, usageAt(usage, now));
        const counting = countingOf(key, now);
        expect(usage ? countedOfUsage(counting, usage) : 0n).toBe(shown);
        const reported = records.map(({ occurred_at, cost, byok_cost }) =>
          countedOfDay(dayOf(occurred_at ?? ''), counting, { usage: cost, byok_usage: byok_cost }),
        );
        expect(reported.reduce((sum, one) => sum + one, 0n)).toBe(shown);
      }),
    );
  });

  it('counts anew when the window ends, and when the limit of the key changes', () => {
    const key = { limit: 1, limit_reset: 'weekly', include_byok_in_limit: false } as const;
    const counting = countingOf(key, new Date('2026-03-04T12:00:00.000Z'));
    const at = (time: string): boolean => countsSo(counting, key, new Date(time));
    expect(at('2026-03-02T00:00:00.000Z')).toBe(true);
    expect(at('2026-03-08T23:59:59.999Z')).toBe(true);
    expect(at('2026-03-09T00:00:00.000Z')).toBe(false);
    expect(at('2026-03-01T23:59:59.999Z')).toBe(false);
    const now = new Date('2026-03-04T12:00:00.000Z');
    for (const changes of [{ limit_reset: null }, { include_byok_in_limit: true }])
      expect(countsSo(counting, { ...key, ...changes }, now)).toBe(false);
  });
});

describe('a limit', () => {
  const limited = { limit_reset: null, include_byok_in_limit: false };
  const now = new Date('2026-03-04T12:00:00.000Z');

  it.each([
    [0.3, 300_000_000n, '0'],
    [0.3, 299_999_999n, '0.000000001'],
    [0.3000000000000001, 300_000_000n, '0.0000000000000001'],
    [1e-12, 0n, '0.000000000001'],
    [1e-12, 1n, '0'],
    [9_007_199_254_740_991, 1n, '9007199254740990.999999999'],
  ])('of %d USD after %d nano-USD leaves exactly %s', (limit, cost, left) => {
    const usage = usageAt(foldedUsage([[usedAt('2026-03-04T00:00:00.000Z', cost)]]), now);
    const spent = spentTowardLimit({ ...limited, limit }, usage);
    expect(exactLimitRemaining(limit, spent).toFixed()).toBe(left);
    expect(limitRemaining(limit, spent)).toBe(Number(left));
  });
});
