import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';
import { workspaceEvents } from './workspace.events.js';

export const accountCreated = defineEvent(
  'AccountCreated',
  1,
  z.object({
    account_id: z.string(),
    kind: z.enum(['organization', 'individual']),
    name: z.string(),
    owner_user_id: z.string(),
    default_workspace_id: z.string(),
  }),
);

export const memberAdded = defineEvent(
  'MemberAdded',
  1,
  z.object({ account_id: z.string(), user_id: z.string() }),
);

export const memberRemoved = defineEvent(
  'MemberRemoved',
  1,
  z.object({ account_id: z.string(), user_id: z.string() }),
);

export const managementKeyCreated = defineEvent(
  'ManagementKeyCreated',
  1,
  z.object({
    account_id: z.string(),
    hash: z.string(),
    user_id: z.string(),
    name: z.string().nullable(),
  }),
);

export const managementKeyRevoked = defineEvent(
  'ManagementKeyRevoked',
  1,
  z.object({ hash: z.string() }),
);

export const accountEvents = [
  accountCreated,
  memberAdded,
  memberRemoved,
  ...workspaceEvents,
  managementKeyCreated,
  managementKeyRevoked,
] as const;

export type AccountEvent = EventOf<(typeof accountEvents)[number]>;
