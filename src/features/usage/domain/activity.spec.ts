import { describe, expect, it } from '@jest/globals';
import { hashOf, recordOf, reportOf } from '../../../../test/support/histories/usage.js';
import { activityByUser } from './activity.js';

const [b, unknown] = [hashOf('b'), hashOf('f')];

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
});
