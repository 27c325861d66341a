import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';

const amount = z.string().regex(/^(?:0|[1-9]\d*)$/);

/** Amounts in whole units: 10⁻⁹ USD for usage and BYOK usage. */
const amounts = { usage: amount, byok_usage: amount, requests: amount };

const keys = z.array(
  z.object({ hash: z.string(), workspace_id: z.string(), last_used_at: z.string() }),
);
const sums = z.array(
  z.object({ key: z.number(), day: z.string(), user: z.string().nullable(), ...amounts }),
);
const unattributed_sums = z.array(z.object({ day: z.string(), ...amounts }));

/**
 * A report of usage. `accepted` is the number of its records. `keys`, `sums` and `unattributed` are
 * in the order in which the records first name them. The `key` of a sum is the place of its key in
 * `keys`, which keeps long reports short. Hashes of no key of the account are `unattributed`.
 */
export const usageReported = defineEvent(
  'UsageReported',
  z.object({
    account_id: z.string(),
    report_id: z.string(),
    content_hash: z.string(),
    accepted: z.number(),
    keys,
    sums,
    unattributed: z.array(z.string()),
    unattributed_sums,
  }),
);

/**
 * A report was reversed. The event repeats what the report counted, so that a fold can take it
 * off without a read of the report.
 */
export const usageReversed = defineEvent(
  'UsageReversed',
  z.object({
    account_id: z.string(),
    report_id: z.string(),
    accepted: z.number(),
    keys,
    sums,
    unattributed_sums,
  }),
);

export const usageEvents = [usageReported, usageReversed] as const;

export type UsageEvent = EventOf<(typeof usageEvents)[number]>;

export type Reported = EventOf<typeof usageReported>['data'];

export type Reversed = EventOf<typeof usageReversed>['data'];

export type ReportedSum = Reported['sums'][number];
