import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';
import { LIMIT_RESETS } from '../../../kernel/limit-reset.js';

const reached = z.object({
  /** The hash of the key, the id of the workspace, or the tracking ID of the end user. */
  id: z.string(),
  /** In percent of the limit. */
  threshold: z.number(),
  /** In USD. */
  limit: z.number(),
  /** In whole 10⁻⁹ USD. */
  spent: z.string().regex(/^[1-9]\d*$/),
  limit_reset: z.enum(LIMIT_RESETS).nullable(),
  /** In ISO 8601 UTC, like `resets_at`. Both are null for a limit that never resets. */
  window_start: z.string().nullable(),
  resets_at: z.string().nullable(),
});

/** The spending toward a limit has reached a part of the limit. Each event has its own stream. */
export const limitReachedEvents = [
  defineEvent('ApiKeyLimitReached', reached),
  defineEvent('WorkspaceLimitReached', reached),
  defineEvent('EndUserLimitReached', reached),
] as const;

export type LimitReachedEvent = EventOf<(typeof limitReachedEvents)[number]>;
