import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';
import { LIMIT_RESETS } from '../../../kernel/limit-reset.js';

const limit = z.number().nonnegative().nullable();
const limitReset = z.enum(LIMIT_RESETS).nullable();

export const keyEvents = [
  defineEvent(
    'ApiKeyCreated',
    z.object({
      hash: z.string(),
      account_id: z.string(),
      workspace_id: z.string(),
      name: z.string(),
      creator_user_id: z.string(),
      limit,
      limit_reset: limitReset,
      include_byok_in_limit: z.boolean(),
      expires_at: z.string().nullable(),
      external: z.object({ user: z.string(), lookup_key_hash: z.string().nullable() }).nullable(),
    }),
  ),
  defineEvent(
    'ApiKeyRenamed',
    z.object({ hash: z.string(), name: z.string(), previous_name: z.string() }),
  ),
  defineEvent('ApiKeyDisabled', z.object({ hash: z.string() })),
  defineEvent('ApiKeyEnabled', z.object({ hash: z.string() })),
  defineEvent('ApiKeyLimitChanged', z.object({ hash: z.string(), limit, previous_limit: limit })),
  defineEvent(
    'ApiKeyLimitResetChanged',
    z.object({ hash: z.string(), limit_reset: limitReset, previous_limit_reset: limitReset }),
  ),
  defineEvent(
    'ApiKeyByokInLimitChanged',
    z.object({ hash: z.string(), include_byok_in_limit: z.boolean() }),
  ),
  defineEvent(
    'ApiKeyExpiryChanged',
    z.object({
      hash: z.string(),
      expires_at: z.string().nullable(),
      previous_expires_at: z.string().nullable(),
    }),
  ),
  /**
   * The move of a key to another workspace. `moved_with_key` names the kinds of objects that go
   * with it, `left_behind` those that stay. The objects, such as presets, belong to other services.
   */
  defineEvent(
    'ApiKeyMovedToWorkspace',
    z.object({
      hash: z.string(),
      workspace_id: z.string(),
      previous_workspace_id: z.string(),
      moved_with_key: z.array(z.string()),
      left_behind: z.array(z.string()),
    }),
  ),
  defineEvent(
    'ApiKeyStringAdded',
    z.object({ hash: z.string(), string_hash: z.string(), others_end_at: z.string() }),
  ),
  defineEvent('ApiKeyStringEnded', z.object({ hash: z.string(), string_hash: z.string() })),
  defineEvent('ApiKeyDeleted', z.object({ hash: z.string() })),
] as const;

export type KeyEvent = EventOf<(typeof keyEvents)[number]>;

/** A later string of a key, before the key knows it. */
export const apiKeyStringReserved = defineEvent(
  'ApiKeyStringReserved',
  z.object({ string_hash: z.string(), key_hash: z.string(), account_id: z.string() }),
);

/**
 * The first events of streams of strings that are no first string of an API key (ADR 3). They say
 * whose a string is. By themselves, they let the string open nothing.
 */
export const reservationEvents = [
  apiKeyStringReserved,
  defineEvent('ManagementKeyReserved', z.object({ hash: z.string(), account_id: z.string() })),
] as const;

export type ReservationEvent = EventOf<(typeof reservationEvents)[number]>;
