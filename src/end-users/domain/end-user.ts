import type { Aggregate } from '../../kernel/aggregate.js';
import { Refusal } from '../../kernel/errors.js';
import type { Happened } from '../../kernel/event.js';
import { type EndUserEvent, endUserEvents } from './end-user.events.js';

/**
 * One stream for each tracking string of each organization: the log itself refuses a second registration.
 * @param digest of organization and tracking string, so that any text makes a plain stream name.
 */
export function endUserStream(digest: string): string {
  return `enduser-${digest}`;
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

function evolve(_state: EndUserState, event: Happened<EndUserEvent>): EndUserState {
  const { organization_id, user } = event.data;
  const { occurred_at } = event.metadata;
  return {
    organization_id,
    user,
    is_active: true,
    created_at: occurred_at,
    updated_at: occurred_at,
  };
}

/** With the longest tracking string there is. */
const END_USER_SIZE = 2_000;

export const endUser: Aggregate<EndUserState, EndUserEvent> = {
  events: endUserEvents,
  initial: null,
  evolve,
  sizeOf: () => END_USER_SIZE,
};

export function registerEndUser(
  state: EndUserState,
  command: { readonly organizationId: string; readonly user: string },
): EndUserEvent[] {
  if (state) throw new Refusal('end-user-already-registered');
  const { organizationId: organization_id, user } = command;
  return [{ type: 'EndUserRegistered', data: { organization_id, user } }];
}
