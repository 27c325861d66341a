import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';

export const DEFAULT_SLUG = 'default';

export const workspaceEvents = [
  defineEvent(
    'WorkspaceCreated',
    z.object({
      account_id: z.string(),
      workspace_id: z.string(),
      name: z.string(),
      slug: z.string(),
      description: z.string().nullable(),
      restrictions: z.array(z.string()),
      is_default: z.boolean(),
    }),
  ),
  defineEvent(
    'WorkspaceRenamed',
    z.object({ workspace_id: z.string(), name: z.string(), previous_name: z.string() }),
  ),
  defineEvent(
    'WorkspaceSlugChanged',
    z.object({ workspace_id: z.string(), slug: z.string(), previous_slug: z.string() }),
  ),
  defineEvent(
    'WorkspaceDescriptionChanged',
    z.object({
      workspace_id: z.string(),
      description: z.string().nullable(),
      previous_description: z.string().nullable(),
    }),
  ),
  defineEvent(
    'WorkspaceRestricted',
    z.object({
      workspace_id: z.string(),
      restrictions: z.array(z.string()),
      previous_restrictions: z.array(z.string()),
    }),
  ),
  defineEvent('WorkspaceMemberAdded', z.object({ workspace_id: z.string(), user_id: z.string() })),
  defineEvent(
    'WorkspaceMemberRemoved',
    z.object({ workspace_id: z.string(), user_id: z.string() }),
  ),
  defineEvent('WorkspaceDeleted', z.object({ account_id: z.string(), workspace_id: z.string() })),
] as const;

export type WorkspaceEvent = EventOf<(typeof workspaceEvents)[number]>;
