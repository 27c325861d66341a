import { hash } from 'node:crypto';
import type { Aggregate } from '../../kernel/aggregate.js';
import { notFound, Refusal } from '../../kernel/errors.js';
import type { Happened } from '../../kernel/event.js';
import { type EndUserEvent, endUserEvents } from './end-user.events.js';

/**
 * The stream of a tracking string of an organization: the log itself refuses a second registration. Organization ids
 * have one length, so no two pairs give the same text.
 */
export function endUserStream(organizationId: string, user: string): string {
  return `enduser-${hash('sha256', organizationId + user, 'hex')}`;
}

export interface EndUser {
  readonly organization_id: string;
  readonly user: string;
  readonly is_active: boolean;
  /** ISO 8601 UTC, as is the other time. */
  readonly created_at: string;
  readonly updated_at: string;
}

/** Null before it was registered. */
export type EndUserState = EndUser | null;

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
  }
}

/** Bytes of an end user with the longest tracking string there is. */
const END_USER_SIZE = 2_000;

export const endUser: Aggregate<EndUserState, EndUserEvent> = {
  events: endUserEvents,
  initial: null,
  evolve,
  sizeOf: () => END_USER_SIZE,
};

/** @throws Refusal when the user is registered already. */
export function registerEndUser(
  state: EndUserState,
  organization_id: string,
  user: string,
): EndUserEvent[] {
  if (state) throw new Refusal('end-user-already-registered');
  return [{ type: 'EndUserRegistered', data: { organization_id, user } }];
}

/** Deactivates or reactivates; no event when it is so already. */
export function setEndUserActive(state: EndUserState, active: boolean): EndUserEvent[] {
  if (!state) throw notFound();
  const { organization_id, user, is_active } = state;
  if (is_active === active) return [];
  const type = active ? 'EndUserReactivated' : 'EndUserDeactivated';
  return [{ type, data: { organization_id, user } }];
}
