import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';

export const endUserRegistered = defineEvent(
  'EndUserRegistered',
  1,
  z.object({ organization_id: z.string(), user: z.string() }),
);

export const endUserDeactivated = defineEvent(
  'EndUserDeactivated',
  1,
  z.object({ organization_id: z.string(), user: z.string() }),
);

export const endUserReactivated = defineEvent(
  'EndUserReactivated',
  1,
  z.object({ organization_id: z.string(), user: z.string() }),
);

export const endUserEvents = [endUserRegistered, endUserDeactivated, endUserReactivated] as const;

export type EndUserEvent = EventOf<(typeof endUserEvents)[number]>;
