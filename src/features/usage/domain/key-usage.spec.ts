import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  hashOf,
  randomRecords,
  randomReversals,
  recordOf,
  reportOf,
  reversalOf,
  totalOf,
} from '../../../../test/support/histories/usage.js';
import type { LimitReset } from '../../keys/domain/key.js';
import {
  exactLimitRemaining,
  limitRemaining,
  noUsage,
  spending,
  type Usage,
} from '../../keys/domain/usage.js';
import { addedUsage, type KeyUsage, usageIn, windowsAt, withUsage } from './key-usage.js';
import { NO_AMOUNTS, stored } from './amounts.js';
import { amountsOf, type UsageRecord } from './usage-record.js';
import { sumsIn } from './usage-sums.js';
import { decimalUsd } from './usd.js';

const usageAt = (usage: KeyUsage | undefined, now: Date): Usage =>
  usage ? usageIn(windowsAt(now), usage) : noUsage;

const KEY = hashOf('a');
const DAY_MS = 86_400_000;

/** Folds the use of key a from reports, one after the other. */
function folded(reports: readonly (readonly UsageRecord[])[]): KeyUsage | undefined {
  return reports
    .flatMap((records) => addedUsage(reportOf(records)))
    .filter(({ hash }) => hash === KEY)
    .reduce<KeyUsage | undefined>(withUsage, undefined);
}

const used = (time: string, cost = 1n): UsageRecord =>
  recordOf({ occurred_at: time, cost, byok_cost: 10n * cost });

/** Gives each record as a report of its own. */
const oneByOne = (records: readonly UsageRecord[]) => records.map((record) => [record]);

describe('the use of a key', () => {
  it('is kept in all and by day, with the last use', () => {
    const reports = [
      [used('2026-03-04T10:00:00.000Z'), used('2026-03-04T09:00:00.000Z', 2n)],
      [used('2026-03-03T10:00:00.000Z', 4n)],
    ];
    expect(folded(reports)).toEqual({
      totals: { usage: '7', byok_usage: '70', requests: '3' },
      days: ['2026-03-03 4 40 1', '2026-03-04 3 30 2'],
      last_used_at: '2026-03-04T10:00:00.000Z',
    });
  });

  it('has the newest 62 different days, and all of it in the totals', () => {
    const newest = Date.parse('2028-03-10T12:00:00.000Z');
    const days = Array.from({ length: 100 }, (_, ago) =>
      used(new Date(newest - 2 * ago * DAY_MS).toISOString()),
    );
    const usage = folded(oneByOne(days));
    expect(usage?.totals).toEqual({ usage: '100', byok_usage: '1000', requests: '100' });
    expect(usage?.days).toHaveLength(62);
    expect(usage?.days.at(0)).toBe('2027-11-09 1 10 1');
    expect(usage?.days.at(-1)).toBe('2028-03-10 1 10 1');
  });

  it('forgets days that left its newest 62, also when they are taken back', () => {
    const report = reportOf([used('2026-01-01T12:00:00.000Z', 5n)]);
    const later = Array.from({ length: 62 }, (_, day) =>
      used(new Date(Date.parse('2026-02-01T12:00:00.000Z') + day * DAY_MS).toISOString()),
    );
    const before = folded([...oneByOne(later), [used('2026-01-01T12:00:00.000Z', 5n)]]);
    const reversed = sumsIn({ type: 'UsageReversed', data: reversalOf(report) });
    const usage = addedUsage(reversed).reduce<KeyUsage | undefined>(withUsage, before);
    expect(usage).toEqual(folded(oneByOne(later)));
  });

  it('keeps all days of its windows when a clock ran ahead on up to 31 other days', () => {
    const ahead = Date.parse('2026-06-09T12:00:00.000Z');
    const falseDays = Array.from({ length: 31 }, (_, day) =>
      used(new Date(ahead + day * DAY_MS).toISOString()),
    );
    const month = Array.from({ length: 31 }, (_, day) =>
      used(`2026-03-${String(day + 1).padStart(2, '0')}T12:00:00.000Z`, 10n ** 9n),
    );
    const usage = folded(oneByOne([...falseDays, ...month]));
    expect(usageAt(usage, new Date('2026-03-31T13:00:00Z')).own.monthly).toBe('31');
  });

  it('is the same, byte for byte, in whatever order and groups it is reported', () => {
    const histories = fc.array(randomRecords('2027-12-01T00:00:00Z', 150), { maxLength: 40 });
    const shuffled = histories.chain((records) =>
      fc.tuple(
        fc.constant(records),
        fc.shuffledSubarray(records, { minLength: records.length }),
        fc.integer({ min: 1, max: 10 }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([records, others, size]) => {
        const groups = [];
        for (let at = 0; at < others.length; at += size) groups.push(others.slice(at, at + size));
        expect(JSON.stringify(folded(groups))).toBe(JSON.stringify(folded(oneByOne(records))));
      }),
    );
  });

  it('equals a recount of what was not taken back, and keeps days and the last use, in any order', () => {
    fc.assert(
      fc.property(randomReversals('2027-12-01T00:00:00Z', 150), ({ reports, shuffled }) => {
        const own = reports.flatMap(({ records, isReversed }) =>
          records
            .filter(({ key_hash }) => key_hash === KEY)
            .map((record) => ({ ...record, isReversed, time: record.occurred_at ?? '' })),
        );
        const recount = (day = ''): string => {
          const counted = own.filter(({ isReversed, time }) => !isReversed && time.startsWith(day));
          const { usage, byok_usage, requests } = totalOf(counted.map(amountsOf).map(stored));
          return `${usage} ${byok_usage} ${requests}`;
        };
        const usage = shuffled
          .flatMap((event) => addedUsage(sumsIn(event)))
          .filter(({ hash }) => hash === KEY)
          .reduce<KeyUsage | undefined>(withUsage, undefined);
        const days = [...new Set(own.map(({ time }) => time.slice(0, 10)))].sort().slice(-62);
        expect(usage?.days ?? []).toEqual(days.map((day) => `${day} ${recount(day)}`));
        expect(Object.values(usage?.totals ?? NO_AMOUNTS).join(' ')).toBe(recount());
        expect(usage?.last_used_at).toBe(
          own
            .map(({ time }) => time)
            .sort()
            .at(-1),
        );
      }),
    );
  });

  it('adds up to what the records say, beyond 64 bits', () => {
    const most = recordOf({ cost: 10n ** 15n });
    const day = Array.from({ length: 1_000 }, () => most);
    let usage = folded([day]);
    const [doubled] = addedUsage(reportOf(day));
    for (let count = 1; count < 100; count += 1) usage = doubled && withUsage(usage, doubled);
    expect(usage?.totals.usage).toBe(String(10n ** 20n));
    expect(usageAt(usage, new Date('2026-03-04T23:00:00Z')).own.daily).toBe('100000000000');
  });
});

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
  function recount(records: readonly UsageRecord[], reset: LimitReset, now: Date): string {
    const first = firstDay(reset, now);
    let next = first + 1;
    while (firstDay(reset, new Date(next * DAY_MS)) === first) next += 1;
    const sum = records
      .filter(({ occurred_at }) => {
        const time = Date.parse(occurred_at ?? '');
        return time >= first * DAY_MS && time < next * DAY_MS;
      })
      .reduce((total, { cost }) => total + cost, 0n);
    return decimalUsd(sum);
  }

  /** Midnights of days, months, years, a leap day, and the ends of the 53rd weeks of 2026 and 2032. */
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
          used(new Date(now.getTime() - ago - late).toISOString(), cost),
        );
        const { own, byok } = usageAt(folded(oneByOne(records)), now);
        for (const reset of ['daily', 'weekly', 'monthly'] as const) {
          expect(own[reset]).toBe(recount(records, reset, now));
          const tenfold = records.map((record) => ({ ...record, cost: record.byok_cost }));
          expect(byok[reset]).toBe(recount(tenfold, reset, now));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('counts what is reported ahead of midnight in the window of its own day', () => {
    const usage = folded([[used('2026-03-03T00:01:00.000Z', 10n ** 9n)]]);
    const before = usageAt(usage, new Date('2026-03-02T23:59:00.000Z')).own;
    expect([before.daily, before.weekly, before.monthly]).toEqual(['0', '1', '1']);
    expect(usageAt(usage, new Date('2026-03-03T00:00:00.000Z')).own.daily).toBe('1');
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
    const usage = usageAt(folded([[used('2026-03-04T00:00:00.000Z', cost)]]), now);
    const spent = spending({ ...limited, limit }, usage);
    expect(exactLimitRemaining(limit, spent)?.toFixed()).toBe(left);
    expect(limitRemaining(limit, spent)).toBe(Number(left));
  });
});
