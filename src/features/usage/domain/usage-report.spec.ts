import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/specs/given.js';
import { hashOf, recordOf, reportOf } from '../../../../test/support/histories/usage.js';
import { repeated, usageReport, usageReportId } from './usage-report.js';
import type { UsageEvent } from './usage.events.js';

const data = reportOf([recordOf(), recordOf({ key_hash: hashOf('f') })]);
const other = reportOf([recordOf()]);
const accepted: UsageEvent = { type: 'UsageReported', data };

describe('a report', () => {
  it('is known by its content before anything else of it is judged', () => {
    const { state } = given(usageReport, accepted);
    expect(repeated(null, data.content_hash)).toBeNull();
    expect(repeated(state, data.content_hash)).toBe(state);
    expect(() => repeated(state, other.content_hash)).toThrow('usage-report-differs');
  });

  it('has a stream of its own in each account, and is not kept in memory', () => {
    expect(usageReportId('account-1', 'id')).not.toBe(usageReportId('account-2', 'id'));
    expect(usageReport.sizeOf(given(usageReport, accepted).state)).toBe(Infinity);
  });
});
