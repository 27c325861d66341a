import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/specs/given.js';
import {
  hashOf,
  recordOf,
  reportOf,
  reversalOf,
} from '../../../../test/support/histories/usage.js';
import {
  isReportId,
  requireSameReport,
  reverseUsage,
  usageReport,
  usageReportId,
} from './accepted-once.js';
import type { UsageEvent } from './usage.events.js';

const data = reportOf([recordOf(), recordOf({ key_hash: hashOf('f') })]);
const other = reportOf([recordOf()]);
const accepted: UsageEvent = { type: 'UsageReported', data };
const reversed: UsageEvent = { type: 'UsageReversed', data: reversalOf(data) };

describe('a report', () => {
  it('is known by its content before anything else of it is judged', () => {
    const { state } = given(usageReport, accepted);
    expect(requireSameReport(null, data.content_hash)).toBeNull();
    expect(requireSameReport(state, data.content_hash)).toBe(state);
    expect(() => requireSameReport(state, other.content_hash)).toThrow('usage-report-differs');
  });

  it('is taken back once, with its sums, and then its id is used up', () => {
    given(usageReport).when(reverseUsage).thenRefused('not-found');
    given(usageReport, accepted).when(reverseUsage).then(reversed);
    const taken = given(usageReport, accepted, reversed);
    taken.when(reverseUsage).thenNothing();
    const { state } = taken;
    expect(state).toMatchObject({
      ...data,
      reported_at: '2026-01-01T00:00:00.000Z',
      reversed_at: '2026-01-01T01:00:00.000Z',
    });
    for (const { content_hash } of [data, other]) {
      expect(() => requireSameReport(state, content_hash)).toThrow('report-reversed');
    }
  });

  it('has an id that somebody made', () => {
    const made = '01976f6e-abcd-7000-8000-0000000000ef';
    expect(isReportId(made)).toBe(true);
    for (const id of [made.toUpperCase(), made.replace(/\w/g, '0'), made.replace(/\w/g, 'f'), '']) {
      expect({ id, isReportId: isReportId(id) }).toEqual({ id, isReportId: false });
    }
  });

  it('has a stream of its own in each account, and is not kept in memory', () => {
    expect(usageReportId('account-1', 'id')).not.toBe(usageReportId('account-2', 'id'));
    expect(usageReport.sizeOf(given(usageReport, accepted).state)).toBe(Infinity);
  });
});
