import { z } from 'zod';
import { defineEvent, type EventOf } from '../../../kernel/event.js';
import { budgetRemoved, budgetSet } from '../../budgets/domain/budget.js';

const endUser = { organization_id: z.string(), user: z.string() };

/** The events that change the record of an end user. */
export const registrationEvents = [
  defineEvent('EndUserRegistered', z.object(endUser)),
  defineEvent('EndUserDeactivated', z.object(endUser)),
  defineEvent('EndUserReactivated', z.object(endUser)),
] as const;

export type RegistrationEvent = EventOf<(typeof registrationEvents)[number]>;

export const endUserEvents = [
  ...registrationEvents,
  defineEvent('EndUserBudgetSet', z.object({ ...endUser, ...budgetSet })),
  defineEvent('EndUserBudgetRemoved', z.object({ ...endUser, ...budgetRemoved })),
] as const;

export type EndUserEvent = EventOf<(typeof endUserEvents)[number]>;

export type EndUserBudgetEvent = Exclude<EndUserEvent, RegistrationEvent>;
