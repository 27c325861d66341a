import { hash } from 'node:crypto';
import type { Aggregate } from '../../../kernel/aggregate.js';
import { notFound, Refusal } from '../../../kernel/errors.js';
import type { Happened } from '../../../kernel/event.js';
import { type Budget, budgetChange } from '../../budgets/domain/budget.js';
import { type EndUserBudgetEvent, type EndUserEvent, endUserEvents } from './end-user.events.js';

/** Returns the id of an end user. No two share one, because organization ids are equally long. */
export function endUserId(organizationId: string, user: string): string {
  return hash('sha256', organizationId + user, 'hex');
}

const PREFIX = 'enduser-';

/** Each `user` of an organization has a stream, so the log refuses to register it twice (ADR 3). */
export function endUserStream(id: string): string {
  return PREFIX + id;
}

export function isEndUserStream(stream: string): boolean {
  return stream.startsWith(PREFIX);
}

/** The fields of the record of an end user. */
export interface EndUser {
  readonly organization_id: string;
  readonly user: string;
  readonly is_active: boolean;
  /** ISO 8601 UTC, like `updated_at`. */
  readonly created_at: string;
  readonly updated_at: string;
}

/** A registered end user. */
export interface RegisteredEndUser extends EndUser {
  /** Absent or null for an end user without one of their own. */
  readonly budget?: Budget | null;
}

export type EndUserState = RegisteredEndUser | null;

function evolve(state: EndUserState, event: Happened<EndUserEvent>): EndUserState {
  const { occurred_at: updated_at } = event.metadata;
  switch (event.type) {
    case 'EndUserRegistered': {
      const { organization_id, user } = event.data;
      return { organization_id, user, is_active: true, created_at: updated_at, updated_at };
    }
    case 'EndUserDeactivated':
      return state && { ...state, is_active: false, updated_at };
    case 'EndUserReactivated':
      return state && { ...state, is_active: true, updated_at };
    case 'EndUserBudgetSet':
      return state && { ...state, budget: event.data.budget };
    case 'EndUserBudgetRemoved':
      return state && { ...state, budget: null };
    default:
      return event satisfies never;
  }
}

/** The memory, in bytes, that an end user with the longest possible tracking string takes. */
const END_USER_SIZE = 2_000;

export const endUser: Aggregate<EndUserState, EndUserEvent> = {
  streamOf: endUserStream,
  events: endUserEvents,
  initial: null,
  evolve,
  sizeOf: () => END_USER_SIZE,
};

/**
 * Decides a registration: no event if the tracking string is registered already and `mayRepeat`.
 * @throws Refusal when it is registered already and a repeat is refused.
 */
export function registerEndUser(
  state: EndUserState,
  organization_id: string,
  user: string,
  mayRepeat = false,
): EndUserEvent[] {
  if (state && mayRepeat) return [];
  if (state) throw new Refusal('end-user-already-registered');
  return [{ type: 'EndUserRegistered', data: { organization_id, user } }];
}

/** Returns no event for the wanted state. @throws Refusal when the end user is not registered. */
export function setEndUserActive(state: EndUserState, active: boolean): EndUserEvent[] {
  if (!state) throw notFound();
  const { organization_id, user, is_active } = state;
  if (is_active === active) return [];
  const type = active ? 'EndUserReactivated' : 'EndUserDeactivated';
  return [{ type, data: { organization_id, user } }];
}

/**
 * Sets the own budget of an end user, or removes it for null. Returns no event for the same budget.
 * @throws Refusal for an end user who is not registered, and where there is no budget to remove.
 */
export function changeEndUserBudget(
  state: EndUserState,
  budget: Budget | null,
): EndUserBudgetEvent[] {
  if (!state) throw notFound();
  const { organization_id, user, budget: before = null } = state;
  const change = budgetChange(before, budget);
  if (!change) return [];
  return 'budget' in change
    ? [{ type: 'EndUserBudgetSet', data: { organization_id, user, ...change } }]
    : [{ type: 'EndUserBudgetRemoved', data: { organization_id, user, ...change } }];
}
