import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  foldedUsage,
  hashOf,
  oneByOne,
  randomRecords,
  randomReversals,
  recordOf,
  reportOf,
  reversalOf,
  totalOf,
  usedAt,
} from '../../../../test/support/histories/usage.js';
import { NEVER_USED, type UsageByWindow } from '../../keys/domain/limit.js';
import { addedUsage, type KeyUsage, withUsage } from './key-usage.js';
import { ZERO_AMOUNTS, storedAmounts } from './amounts.js';
import { amountsOf } from './usage-record.js';
import { sumsIn } from './usage-sums.js';
import { usageIn, windowsAt } from './spent-toward-limit.js';

const usageAt = (usage: KeyUsage | undefined, now: Date): UsageByWindow =>
  usage ? usageIn(windowsAt(now), usage) : NEVER_USED;

const KEY = hashOf('a');
const DAY_MS = 86_400_000;

describe('the use of a key', () => {
  it('is kept in all and by day, with the last use', () => {
    const reports = [
      [usedAt('2026-03-04T10:00:00.000Z'), usedAt('2026-03-04T09:00:00.000Z', 2n)],
      [usedAt('2026-03-03T10:00:00.000Z', 4n)],
    ];
    expect(foldedUsage(reports)).toEqual({
      totals: { usage: '7', byok_usage: '70', requests: '3' },
      days: ['2026-03-03 4 40 1', '2026-03-04 3 30 2'],
      last_used_at: '2026-03-04T10:00:00.000Z',
    });
  });

  it('has the newest 62 different days, and all of it in the totals', () => {
    const newest = Date.parse('2028-03-10T12:00:00.000Z');
    const days = Array.from({ length: 100 }, (_, ago) =>
      usedAt(new Date(newest - 2 * ago * DAY_MS).toISOString()),
    );
    const usage = foldedUsage(oneByOne(days));
    expect(usage?.totals).toEqual({ usage: '100', byok_usage: '1000', requests: '100' });
    expect(usage?.days).toHaveLength(62);
    expect(usage?.days.at(0)).toBe('2027-11-09 1 10 1');
    expect(usage?.days.at(-1)).toBe('2028-03-10 1 10 1');
  });

  it('forgets days that left its newest 62, also when they are taken back', () => {
    const report = reportOf([usedAt('2026-01-01T12:00:00.000Z', 5n)]);
    const later = Array.from({ length: 62 }, (_, day) =>
      usedAt(new Date(Date.parse('2026-02-01T12:00:00.000Z') + day * DAY_MS).toISOString()),
    );
    const before = foldedUsage([...oneByOne(later), [usedAt('2026-01-01T12:00:00.000Z', 5n)]]);
    const reversed = sumsIn({ type: 'UsageReversed', data: reversalOf(report) });
    const usage = addedUsage(reversed).reduce<KeyUsage | undefined>(withUsage, before);
    expect(usage).toEqual(foldedUsage(oneByOne(later)));
  });

  it('keeps all days of its windows when a clock ran ahead on up to 31 other days', () => {
    const ahead = Date.parse('2026-06-09T12:00:00.000Z');
    const falseDays = Array.from({ length: 31 }, (_, day) =>
      usedAt(new Date(ahead + day * DAY_MS).toISOString()),
    );
    const month = Array.from({ length: 31 }, (_, day) =>
      usedAt(`2026-03-${String(day + 1).padStart(2, '0')}T12:00:00.000Z`, 10n ** 9n),
    );
    const usage = foldedUsage(oneByOne([...falseDays, ...month]));
    expect(usageAt(usage, new Date('2026-03-31T13:00:00Z')).monthly.usage).toBe(31n * 10n ** 9n);
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
        expect(JSON.stringify(foldedUsage(groups))).toBe(
          JSON.stringify(foldedUsage(oneByOne(records))),
        );
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
          const { usage, byok_usage, requests } = totalOf(
            counted.map(amountsOf).map(storedAmounts),
          );
          return `${usage} ${byok_usage} ${requests}`;
        };
        const usage = shuffled
          .flatMap((event) => addedUsage(sumsIn(event)))
          .filter(({ hash }) => hash === KEY)
          .reduce<KeyUsage | undefined>(withUsage, undefined);
        const days = [...new Set(own.map(({ time }) => time.slice(0, 10)))].sort().slice(-62);
        expect(usage?.days ?? []).toEqual(days.map((day) => `${day} ${recount(day)}`));
        expect(Object.values(usage?.totals ?? ZERO_AMOUNTS).join(' ')).toBe(recount());
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
    let usage = foldedUsage([day]);
    const [doubled] = addedUsage(reportOf(day));
    for (let count = 1; count < 100; count += 1) usage = doubled && withUsage(usage, doubled);
    expect(usage?.totals.usage).toBe(String(10n ** 20n));
    expect(usageAt(usage, new Date('2026-03-04T23:00:00Z')).daily.usage).toBe(10n ** 20n);
  });
});
