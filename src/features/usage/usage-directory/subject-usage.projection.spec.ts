import { describe, expect, it } from '@jest/globals';
import {
  endUserOf,
  hashOf,
  OWNER,
  recordOf,
  reportOf,
  reversalOf,
  WORKSPACE,
} from '../../../../test/support/histories/usage.js';
import { projected } from '../../../../test/support/specs/projected.js';
import type { UsageEvent } from '../domain/usage.events.js';
import { subjectUsage } from './subject-usage.projection.js';

const reported = (...args: Parameters<typeof reportOf>): UsageEvent => ({
  type: 'UsageReported',
  data: reportOf(...args),
});

describe('documents of usage', () => {
  it('are those of the keys, their workspaces and the end users of their uses, and count end users once', async () => {
    const records = [
      recordOf({ user: 'ada', cost: 1n }),
      recordOf({ key_hash: hashOf('d'), user: 'ada', cost: 2n }),
      recordOf({ key_hash: hashOf('f'), user: 'eve', cost: 4n }),
    ];
    const documents = await projected(
      subjectUsage,
      reported(records),
      reported(records.slice(0, 1), 'moved'),
      { type: 'UsageReversed', data: reversalOf(reportOf(records.slice(1))) },
    );
    const { 'subject_counts/end-users': counted, ...used } = documents;
    expect(counted).toEqual({ count: 2 });
    const spent = Object.entries(used).map(([name, { totals }]) => [name, totals]);
    expect(Object.fromEntries(spent)).toMatchObject({
      [`subject_usage/${hashOf('a')}`]: { usage: '2', requests: '2' },
      [`subject_usage/${hashOf('d')}`]: { usage: '0', requests: '0' },
      [`subject_usage/${WORKSPACE}`]: { usage: '1', requests: '1' },
      'subject_usage/moved': { usage: '1', requests: '1' },
      [`subject_usage/${endUserOf('ada')}`]: { usage: '2', requests: '2' },
      [`subject_usage/${endUserOf(OWNER)}`]: { usage: '0', requests: '0' },
    });
    expect(spent).toHaveLength(6);
  });
});
