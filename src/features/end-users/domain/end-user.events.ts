import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';

export const endUserEvents = [
  defineEvent('EndUserRegistered', z.object({ organization_id: z.string(), user: z.string() })),
  defineEvent('EndUserDeactivated', z.object({ organization_id: z.string(), user: z.string() })),
  defineEvent('EndUserReactivated', z.object({ organization_id: z.string(), user: z.string() })),
] as const;

export type EndUserEvent = EventOf<(typeof endUserEvents)[number]>;
