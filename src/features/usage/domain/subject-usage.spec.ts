import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  endUserOf,
  foldedUsage,
  hashOf,
  oneByOne,
  OWNER,
  randomRecords,
  randomReversals,
  recordOf,
  reportOf,
  reversalOf,
  totalOf,
  usedAt,
} from '../../../../test/support/histories/usage.js';
import { NEVER_USED, type UsageByWindow } from '../../keys/domain/limit.js';
import { addedUsage, daysIn, type SubjectUsage, withUsage } from './subject-usage.js';
import { ZERO_AMOUNTS, storedAmounts } from './amounts.js';
import { amountsOf, type UsageRecord } from './usage-record.js';
import { sumsIn } from './usage-sums.js';
import { usageIn, windowsAt } from './spent-toward-limit.js';

const usageAt = (usage: SubjectUsage | undefined, now: Date): UsageByWindow =>
  usage ? usageIn(windowsAt(now), usage) : NEVER_USED;

const KEY = hashOf('a');
const DAY_MS = 86_400_000;

const isAttributed = ({ key_hash }: UsageRecord): boolean =>
  key_hash !== hashOf('e') && key_hash !== hashOf('f');

describe('the use of a subject', () => {
  it('is kept in all and by day, with the last use', () => {
    const reports = [
      [usedAt('2026-03-04T10:00:00.000Z'), usedAt('2026-03-04T09:00:00.000Z', 2n)],
      [usedAt('2026-03-03T10:00:00.000Z', 4n)],
    ];
    expect(foldedUsage(reports)).toEqual({
      totals: { usage: '7', byok_usage: '70', requests: '3' },
      days: '2026-03-03 4 40 1,2026-03-04 3 30 2',
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
    const kept = daysIn(usage?.days ?? '');
    expect(kept).toHaveLength(62);
    expect(kept.at(0)).toBe('2027-11-09 1 10 1');
    expect(kept.at(-1)).toBe('2028-03-10 1 10 1');
  });

  it('forgets days that left its newest 62, also when they are taken back', () => {
    const report = reportOf([usedAt('2026-01-01T12:00:00.000Z', 5n)]);
    const later = Array.from({ length: 62 }, (_, day) =>
      usedAt(new Date(Date.parse('2026-02-01T12:00:00.000Z') + day * DAY_MS).toISOString()),
    );
    const before = foldedUsage([...oneByOne(later), [usedAt('2026-01-01T12:00:00.000Z', 5n)]]);
    const reversed = sumsIn({ type: 'UsageReversed', data: reversalOf(report) });
    const usage = addedUsage(reversed)
      .filter(({ subject }) => subject === KEY)
      .reduce<SubjectUsage | undefined>(withUsage, before);
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
        const uses = reports.flatMap(({ records, workspace, isReversed }) =>
          records.filter(isAttributed).map((record) => {
            const user = record.key_hash === hashOf('d') ? OWNER : record.user;
            const subjects = [
              record.key_hash,
              workspace,
              ...(user === null ? [] : [endUserOf(user)]),
            ];
            return { ...record, isReversed, subjects, time: record.occurred_at ?? '' };
          }),
        );
        const added = shuffled.flatMap((event) => addedUsage(sumsIn(event)));
        const subjects = new Set(uses.flatMap((use) => use.subjects));
        expect(new Set(added.map(({ subject }) => subject))).toEqual(subjects);
        for (const subject of subjects) {
          const own = uses.filter((use) => use.subjects.includes(subject));
          const recount = (day = ''): string => {
            const counted = own.filter((use) => !use.isReversed && use.time.startsWith(day));
            const { usage, byok_usage, requests } = totalOf(
              counted.map(amountsOf).map(storedAmounts),
            );
            return `${usage} ${byok_usage} ${requests}`;
          };
          const usage = added
            .filter((one) => one.subject === subject)
            .reduce<SubjectUsage | undefined>(withUsage, undefined);
          const times = own.map(({ time }) => time).sort();
          const days = [...new Set(times.map((time) => time.slice(0, 10)))].slice(-62);
          expect(usage?.days).toBe(days.map((day) => `${day} ${recount(day)}`).join(','));
          expect(Object.values(usage?.totals ?? ZERO_AMOUNTS).join(' ')).toBe(recount());
          const isKey = own.some(({ key_hash }) => key_hash === subject);
          expect(usage?.last_used_at).toBe(isKey ? times.at(-1) : null);
        }
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
