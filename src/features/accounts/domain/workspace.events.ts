import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';

export const workspaceCreated = defineEvent(
  'WorkspaceCreated',
  1,
  z.object({
    account_id: z.string(),
    workspace_id: z.string(),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    restrictions: z.array(z.string()),
    is_default: z.boolean(),
  }),
);

/** The slug of the default workspace until an update changes the slug. */
export const DEFAULT_SLUG = 'default';

export const workspaceRenamed = defineEvent(
  'WorkspaceRenamed',
  1,
  z.object({ workspace_id: z.string(), name: z.string(), previous_name: z.string() }),
);

export const workspaceSlugChanged = defineEvent(
  'WorkspaceSlugChanged',
  1,
  z.object({ workspace_id: z.string(), slug: z.string(), previous_slug: z.string() }),
);

export const workspaceDescriptionChanged = defineEvent(
  'WorkspaceDescriptionChanged',
  1,
  z.object({
    workspace_id: z.string(),
    description: z.string().nullable(),
    previous_description: z.string().nullable(),
  }),
);

export const workspaceRestricted = defineEvent(
  'WorkspaceRestricted',
  1,
  z.object({
    workspace_id: z.string(),
    restrictions: z.array(z.string()),
    previous_restrictions: z.array(z.string()),
  }),
);

export const workspaceMemberAdded = defineEvent(
  'WorkspaceMemberAdded',
  1,
  z.object({ workspace_id: z.string(), user_id: z.string() }),
);

export const workspaceMemberRemoved = defineEvent(
  'WorkspaceMemberRemoved',
  1,
  z.object({ workspace_id: z.string(), user_id: z.string() }),
);

export const workspaceDeleted = defineEvent(
  'WorkspaceDeleted',
  1,
  z.object({ account_id: z.string(), workspace_id: z.string() }),
);

export const workspaceEvents = [
  workspaceCreated,
  workspaceRenamed,
  workspaceSlugChanged,
  workspaceDescriptionChanged,
  workspaceRestricted,
  workspaceMemberAdded,
  workspaceMemberRemoved,
  workspaceDeleted,
] as const;

export type WorkspaceEvent = EventOf<(typeof workspaceEvents)[number]>;
