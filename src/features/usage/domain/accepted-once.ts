import type { Aggregate } from '../../../kernel/aggregate.js';
import { notFound, Refusal } from '../../../kernel/errors.js';
import type { Happened } from '../../../kernel/event.js';
import { isUuid } from '../../../kernel/uuid.js';
import { type Reported, type UsageEvent, usageEvents } from './usage.events.js';

/** The nil and the max UUID. A reporter that sends one forgot to make an id. */
const NO_IDS: ReadonlySet<string> = new Set([
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
]);

/** Whether a text in lower case may be the id of a report. */
export function isReportId(text: string): boolean {
  return isUuid(text) && !NO_IDS.has(text);
}

/** Returns the id of a report among all accounts: unique, because account ids are equally long. */
export function usageReportId(accountId: string, reportId: string): string {
  return `${accountId}-${reportId}`;
}

/** The management key that reported, or took a report back, and its user. */
export interface Reporter {
  readonly hash: string;
  readonly user_id: string | null;
}

/** A report that was accepted, and when and by whom it was reversed; null if it was not. */
export interface AcceptedReport extends Reported {
  readonly reported_at: string;
  readonly reported_by: Reporter;
  readonly reversed_at: string | null;
  readonly reversed_by: Reporter | null;
}

export type UsageReportState = AcceptedReport | null;

function evolve(state: UsageReportState, event: Happened<UsageEvent>): UsageReportState {
  const { occurred_at, actor } = event.metadata;
  const by: Reporter = { hash: actor.id, user_id: actor.user_id };
  switch (event.type) {
    case 'UsageReported':
      return {
        reported_at: occurred_at,
        reported_by: by,
        reversed_at: null,
        reversed_by: null,
        ...event.data,
      };
    case 'UsageReversed':
      return state && { ...state, reversed_at: occurred_at, reversed_by: by };
    default:
      return event satisfies never;
  }
}

/** Each report of an account has a stream, so the log can refuse to store one twice. */
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
 * @throws Refusal when it was reversed, and when the id was used for a report of other content.
 */
export function requireSameReport(state: UsageReportState, contentHash: string): UsageReportState {
  if (state && state.reversed_at !== null) throw new Refusal('report-reversed');
  if (state && state.content_hash !== contentHash) throw new Refusal('usage-report-differs');
  return state;
}

/** Decides a report that is new. `requireSameReport` says whether it is. */
export function reportUsage(data: Reported): UsageEvent[] {
  return [{ type: 'UsageReported', data }];
}

/** Decides to take a report back; no event the second time. @throws Refusal when it is unknown. */
export function reverseUsage(state: UsageReportState): UsageEvent[] {
  if (!state) throw notFound();
  if (state.reversed_at !== null) return [];
  const { account_id, report_id, accepted, keys, sums, unattributed_sums } = state;
  const data = { account_id, report_id, accepted, keys, sums, unattributed_sums };
  return [{ type: 'UsageReversed', data }];
}
