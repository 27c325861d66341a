import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  hashOf,
  randomRecords,
  recordOf,
  reportOf,
  totalOf,
  WORKSPACE,
} from '../../../../test/support/histories/usage.js';
import { activityByKey, activityByUser } from './activity.js';
import { NO_AMOUNTS, stored } from './amounts.js';
import { amountsOf } from './usage-record.js';

const [a, b, unknown] = [hashOf('a'), hashOf('b'), hashOf('f')];

const usage = (amount: number, requests = 1) => ({
  usage: String(amount),
  byok_usage: '0',
  requests: String(requests),
});

const records = [
  recordOf({ user: 'zoe', cost: 1n }),
  recordOf({ key_hash: unknown, user: 'eve', cost: 2n }),
  recordOf({ key_hash: b, user: 'ada', cost: 4n }),
  recordOf({ user: 'ada', cost: 8n }),
  recordOf({ cost: 16n }),
  recordOf({ user: 'zoe', cost: 32n, occurred_at: '2026-03-03T10:00:00.000Z' }),
];

describe('the activity that a report adds', () => {
  it('is by day, key and workspace, with one row for what is unattributed', () => {
    const key = { api_key_hash: a, workspace_id: WORKSPACE };
    expect(activityByKey(reportOf(records))).toEqual([
      { date: '2026-03-04', ...key, ...usage(25, 3) },
      { date: '2026-03-04', ...key, api_key_hash: b, ...usage(4) },
      { date: '2026-03-03', ...key, ...usage(32) },
      { date: '2026-03-04', api_key_hash: null, workspace_id: null, ...usage(2) },
    ]);
  });

  it('is by day and user, in the order of the records, without the users of what is unattributed', () => {
    expect(activityByUser(reportOf(records), () => true)).toEqual([
      { date: '2026-03-04', user: 'zoe', ...usage(1) },
      { date: '2026-03-04', user: 'ada', ...usage(12, 2) },
      { date: '2026-03-04', user: null, ...usage(18, 2) },
      { date: '2026-03-03', user: 'zoe', ...usage(32) },
    ]);
  });

  it('has rows for the users that the report names first, and one for all others', () => {
    const users: string[] = [];
    const hasRow = (_: string, user: string): boolean => {
      if (users.length < 2 && !users.includes(user)) users.push(user);
      return users.includes(user);
    };
    const more = [
      recordOf({ key_hash: b, user: 'zoe', cost: 1n }),
      recordOf({ user: 'ada', cost: 2n }),
      recordOf({ user: 'bob', cost: 4n }),
      recordOf({ key_hash: b, user: 'eve', cost: 8n }),
      recordOf({ key_hash: unknown, cost: 16n }),
      recordOf({ user: 'zoe', cost: 32n }),
    ];
    expect(activityByUser(reportOf(more), hasRow)).toEqual([
      { date: '2026-03-04', user: 'zoe', ...usage(33, 2) },
      { date: '2026-03-04', user: 'ada', ...usage(2) },
      { date: '2026-03-04', user: null, ...usage(28, 3) },
    ]);
  });

  it('has each row once, and adds up to the records by key and by user', () => {
    const reports = fc.array(randomRecords('2026-03-01T00:00:00Z', 3), { minLength: 1 });
    fc.assert(
      fc.property(reports, (random) => {
        const data = reportOf(random);
        const expected = totalOf(random.map((record) => stored(amountsOf(record))));
        for (const rows of [
          activityByKey(data),
          activityByUser(data, (_, user) => user !== 'ben'),
        ]) {
          expect(totalOf(rows)).toEqual(expected);
          const names = rows.map((row) => JSON.stringify({ ...row, ...NO_AMOUNTS }));
          expect(new Set(names).size).toBe(names.length);
        }
      }),
    );
  });
});
