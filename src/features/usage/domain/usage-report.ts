import type { Aggregate } from '../../../kernel/aggregate.js';
import { Refusal } from '../../../kernel/errors.js';
import type { Happened } from '../../../kernel/event.js';
import { type Reported, type UsageEvent, usageEvents } from './usage.events.js';

/** Returns the id of a report among those of all accounts. Account ids are equally long, so no two reports share an id. */
export function usageReportId(accountId: string, reportId: string): string {
  return `${accountId}-${reportId}`;
}

/** A report that was accepted, as far as an answer or a repeat needs it. */
export type AcceptedReport = Pick<
  Reported,
  'report_id' | 'content_hash' | 'accepted' | 'unattributed'
>;

export type UsageReportState = AcceptedReport | null;

function evolve(_: UsageReportState, event: Happened<UsageEvent>): UsageReportState {
  const { report_id, content_hash, accepted, unattributed } = event.data;
  return { report_id, content_hash, accepted, unattributed };
}

/** Each report of an account has a stream of its own, so the log can refuse to store a report twice. */
export const usageReport: Aggregate<UsageReportState, UsageEvent> = {
  streamOf: (id) => `usage-report-${id}`,
  events: usageEvents,
  initial: null,
  evolve,
  // Only a repeat asks for a report again, and reads it then.
  sizeOf: () => Infinity,
};

/**
 * Returns the report when it was accepted before; null when it is new.
 * @throws Refusal when the id was used for a report of other content.
 */
export function repeated(state: UsageReportState, contentHash: string): UsageReportState {
  if (state && state.content_hash !== contentHash) throw new Refusal('usage-report-differs');
  return state;
}

/** Decides a report. Returns no event when the same report was accepted before. @throws Refusal like `repeated`. */
export function reportUsage(state: UsageReportState, data: Reported): UsageEvent[] {
  return repeated(state, data.content_hash) ? [] : [{ type: 'UsageReported', data }];
}
