import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';

const amount = z.string().regex(/^(?:0|[1-9]\d*)$/);

/** Amounts in whole units: 10⁻⁹ USD for usage and BYOK usage. */
const amounts = { usage: amount, byok_usage: amount, requests: amount };

/**
 * A report of usage. `accepted` is the number of its records. `keys`, `sums` and `unattributed` are in the order in which
 * the records first name what they list or sum up. The `key` of a sum is the place of its key in `keys`, which keeps long
 * reports short. Hashes of no key of the account are `unattributed`.
 */
export const usageReported = defineEvent(
  'UsageReported',
  z.object({
    account_id: z.string(),
    report_id: z.string(),
    content_hash: z.string(),
    accepted: z.number(),
    keys: z.array(
      z.object({ hash: z.string(), workspace_id: z.string(), last_used_at: z.string() }),
    ),
    sums: z.array(
      z.object({ key: z.number(), day: z.string(), user: z.string().nullable(), ...amounts }),
    ),
    unattributed: z.array(z.string()),
    unattributed_sums: z.array(z.object({ day: z.string(), ...amounts })),
  }),
);

export const usageEvents = [usageReported] as const;

export type UsageEvent = EventOf<(typeof usageEvents)[number]>;

export type Reported = UsageEvent['data'];

export type ReportedSum = Reported['sums'][number];
