import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';

export const endUserEvents = [
  defineEvent('EndUserRegistered', 1, z.object({ organization_id: z.string(), user: z.string() })),
  defineEvent('EndUserDeactivated', 1, z.object({ organization_id: z.string(), user: z.string() })),
  defineEvent('EndUserReactivated', 1, z.object({ organization_id: z.string(), user: z.string() })),
] as const;

export type EndUserEvent = EventOf<(typeof endUserEvents)[number]>;
