import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  hashOf,
  randomReversals,
  recordOf,
  reportOf,
  reversalOf,
  totalOf,
  WORKSPACE,
} from '../../../../test/support/histories/usage.js';
import type { Documents } from '../../../../test/support/specs/document-table.js';
import { projected } from '../../../../test/support/specs/projected.js';
import type { Document } from '../../../event-sourcing/read-store/read-store.js';
import { MOST_USERS } from '../domain/activity.js';
import { type StoredAmounts, storedAmounts } from '../domain/amounts.js';
import type { Reported, UsageEvent } from '../domain/usage.events.js';
import { amountsOf, type UsageRecord } from '../domain/usage-record.js';
import { type Group, GROUPS } from './activity-filter.js';
import { activity, type ActivityRow } from './activity.projection.js';

const [a, b, unknown] = [hashOf('a'), hashOf('b'), hashOf('f')];

const event = (data: Reported): UsageEvent => ({ type: 'UsageReported', data });

const reportedIn = ({ type, data }: UsageEvent): Reported[] =>
  type === 'UsageReported' ? [data] : [];

const folded = (...reports: readonly Reported[]): Promise<Documents> =>
  projected(activity, ...reports.map(event));

/** Gives the rows of a collection in the order of their places. */
function rowsOf(documents: Documents, collection: `activity_by_${Group}`): ActivityRow[] {
  return Object.entries(documents)
    .filter(([name]) => name.startsWith(`${collection}/`))
    .map(([, document]) => document as Document & ActivityRow)
    .sort((one, other) => (one.place < other.place ? -1 : 1));
}

const usage = (amount: number, requests = 1): StoredAmounts => ({
  usage: String(amount),
  byok_usage: '0',
  requests: String(requests),
});

describe('the activity', () => {
  it('has a row for each day, key and workspace, the newest day first and what is unattributed last', async () => {
    const before = [
      recordOf({ key_hash: b, cost: 1n }),
      recordOf({ key_hash: unknown, cost: 2n }),
      recordOf({ cost: 4n }),
    ];
    const later = [
      recordOf({ cost: 8n }),
      recordOf({ cost: 16n, occurred_at: '2026-03-05T00:00:00.000Z' }),
    ];
    const documents = await folded(reportOf(before), reportOf(later), reportOf(later, 'moved'));
    const rows = rowsOf(documents, 'activity_by_key');
    const names = { account_id: 'account-1', place: expect.any(String) };
    const [day, next] = ['2026-03-04', '2026-03-05'];
    expect(rows).toEqual([
      { ...names, date: next, api_key_hash: a, workspace_id: 'moved', ...usage(16) },
      { ...names, date: next, api_key_hash: a, workspace_id: WORKSPACE, ...usage(16) },
      { ...names, date: day, api_key_hash: a, workspace_id: 'moved', ...usage(8) },
      { ...names, date: day, api_key_hash: a, workspace_id: WORKSPACE, ...usage(12, 2) },
      { ...names, date: day, api_key_hash: b, workspace_id: WORKSPACE, ...usage(1) },
      { ...names, date: day, api_key_hash: null, workspace_id: null, ...usage(2) },
    ]);
  });

  it('has a row for each day and user, with null last, in each account', async () => {
    const records = [
      recordOf({ user: 'zoe', cost: 1n }),
      recordOf({ key_hash: b, user: 'zoe', cost: 2n }),
      recordOf({ cost: 4n }),
      recordOf({ key_hash: unknown, user: 'eve', cost: 8n }),
      recordOf({ user: 'ada', cost: 16n, occurred_at: '2026-02-28T23:59:59.999Z' }),
    ];
    const other = { ...reportOf(records.slice(0, 1)), account_id: 'account-2' };
    const documents = await folded(reportOf(records), other);
    const rows = rowsOf(documents, 'activity_by_user').map(({ place: _, ...row }) => row);
    const own = { account_id: 'account-1', date: '2026-03-04' };
    expect(rows).toHaveLength(4);
    expect(rows).toEqual(
      expect.arrayContaining([
        { ...own, user: 'zoe', ...usage(3, 2) },
        { ...own, user: null, ...usage(12, 2) },
        { ...own, date: '2026-02-28', user: 'ada', ...usage(16) },
        { ...own, account_id: 'account-2', user: 'zoe', ...usage(1) },
      ]),
    );
  });

  it('has a row for each day and workspace, with null last for what is unattributed, which counts into its day', async () => {
    const records = [
      recordOf({ key_hash: unknown, cost: 1n }),
      recordOf({ cost: 2n }),
      recordOf({ key_hash: b, cost: 4n, occurred_at: '2026-03-05T00:00:00.000Z' }),
    ];
    const documents = await folded(reportOf(records), reportOf(records.slice(1), 'moved'));
    const [day, next] = ['2026-03-04', '2026-03-05'];
    const named = (group: Group) =>
      rowsOf(documents, `activity_by_${group}`).map(({ date, workspace_id, usage: amount }) => [
        date,
        workspace_id,
        amount,
      ]);
    expect(named('workspace')).toEqual([
      [next, 'moved', '4'],
      [next, WORKSPACE, '4'],
      [day, 'moved', '2'],
      [day, WORKSPACE, '2'],
      [day, null, '1'],
    ]);
    expect(named('day')).toEqual([
      [next, undefined, '8'],
      [day, undefined, '5'],
    ]);
  });

  it('gives the first users of a day rows of their own, and counts the others into the row without a user', async () => {
    const users = Array.from({ length: MOST_USERS }, (_, index) => `user-${index}`);
    const use = (user: string, day = '2026-03-04'): UsageRecord =>
      recordOf({ user, cost: 1n, occurred_at: `${day}T10:00:00.000Z` });
    const documents = await folded(
      reportOf(users.slice(1).map((user) => use(user))),
      reportOf([use('user-1'), use('user-0'), use('late'), use('later'), use('user-0')]),
      reportOf([use('late'), use('late', '2026-03-05'), use('user-2')]),
    );
    const rows = rowsOf(documents, 'activity_by_user');
    expect(rows).toHaveLength(1 + MOST_USERS + 1);
    expect(rows[0]).toMatchObject({ date: '2026-03-05', user: 'late', ...usage(1) });
    expect(rows.at(-1)).toMatchObject({ date: '2026-03-04', user: null, ...usage(3, 3) });
    const twice = rows.filter(({ usage: amount }) => amount === '2').map(({ user }) => user);
    expect(twice).toEqual(['user-0', 'user-1', 'user-2']);
  });

  it('takes a report back from the row that it was counted into, and no row leaves its place', async () => {
    const users = Array.from({ length: MOST_USERS }, (_, index) => `user-${index}`);
    const of = (...names: string[]): Reported =>
      reportOf(names.map((user) => recordOf({ user, cost: 1n })));
    const reversed = (data: Reported): UsageEvent => ({
      type: 'UsageReversed',
      data: reversalOf(data),
    });
    const [first, late] = [of('user-0', 'late'), of('late', 'later')];
    const documents = await projected(
      activity,
      event(of(...users)),
      event(first),
      event(late),
      reversed(first),
      reversed(of('user-1')),
      reversed(late),
      event(of('last')),
    );
    const rows = rowsOf(documents, 'activity_by_user');
    expect(rows).toHaveLength(MOST_USERS + 1);
    expect(rows.at(-1)).toMatchObject({ user: null, ...usage(1) });
    expect(rows.filter((row) => row.usage === '0')).toMatchObject([{ user: 'user-1' }]);
  });

  it('is the same, byte for byte, in whatever order it is reported and taken back, and equals a recount', async () => {
    await fc.assert(
      fc.asyncProperty(
        randomReversals('2026-03-01T00:00:00Z', 3),
        async ({ reports, events, shuffled }) => {
          const documents = await projected(activity, ...events);
          expect(sortedText(await projected(activity, ...shuffled))).toBe(sortedText(documents));
          const records = reports
            .filter(({ isReversed }) => !isReversed)
            .flatMap((one) => one.records);
          const right = totalOf(records.map((record) => storedAmounts(amountsOf(record))));
          const reported = await folded(...events.flatMap((one) => reportedIn(one)));
          for (const group of GROUPS) {
            const collection = `activity_by_${group}` as const;
            const rows = rowsOf(documents, collection);
            expect(totalOf(rows)).toEqual(right);
            expect(rows.every((row) => BigInt(row.usage) >= 0n)).toBe(true);
            const placesOf = (of: readonly ActivityRow[]) => of.map(({ place }) => place);
            expect(placesOf(rows)).toEqual(placesOf(rowsOf(reported, collection)));
          }
        },
      ),
    );
  });
});

function sortedText(documents: Documents = {}): string {
  return JSON.stringify(Object.entries(documents).sort(([one], [other]) => (one < other ? -1 : 1)));
}
