import { z } from 'zod';
import { ACCOUNT_KINDS } from '../../../kernel/account-kind.js';
import { defineEvent, type EventOf } from '../../../kernel/event.js';
import { ROLES } from '../../../kernel/role.js';
import { accountBudgetEvents } from './budget.events.js';
import { workspaceEvents } from './workspace.events.js';

/** The events that change records: of an account, and of what belongs to it. */
export const accountRecordEvents = [
  defineEvent(
    'AccountCreated',
    z.object({
      account_id: z.string(),
      kind: z.enum(ACCOUNT_KINDS),
      name: z.string(),
      owner_user_id: z.string(),
      default_workspace_id: z.string(),
    }),
  ),
  defineEvent('MemberAdded', z.object({ account_id: z.string(), user_id: z.string() })),
  defineEvent('MemberRemoved', z.object({ account_id: z.string(), user_id: z.string() })),
  ...workspaceEvents,
  defineEvent(
    'ManagementKeyCreated',
    z.object({
      account_id: z.string(),
      hash: z.string(),
      user_id: z.string(),
      name: z.string().nullable(),
      role: z.enum(ROLES).optional(),
      expires_at: z.string().nullable().optional(),
      /** The hash of an expired key of the account whose place the new one takes. */
      displaces: z.string().optional(),
    }),
  ),
  defineEvent('ManagementKeyRevoked', z.object({ hash: z.string() })),
] as const;

export type AccountRecordEvent = EventOf<(typeof accountRecordEvents)[number]>;

export const accountEvents = [...accountRecordEvents, ...accountBudgetEvents] as const;

export type AccountEvent = EventOf<(typeof accountEvents)[number]>;
