import type { Recorded } from '../../../kernel/event.js';
import type { Documents, Projection } from '../../../event-sourcing/projections/projection.js';
import { type Counts, recount } from '../../../event-sourcing/projections/rank-counts.js';
import { type EndUser, endUser } from '../domain/end-user.js';
import { type EndUserEvent, endUserEvents } from '../domain/end-user.events.js';

export interface EndUserDocument extends EndUser, Record<string, unknown> {
  /** The place of the end user in the organization's order of registration, from 0, without gaps. */
  readonly ordinal: number;
}

/** An organization, with counts of its inactive end users. */
export interface OrganizationDocument extends Counts {
  /** The number of end users that the organization has registered; also the ordinal of the next end user. */
  readonly registered: number;
}

/** The flag under which inactive end users are counted (`rank-counts.ts`). */
export const INACTIVE = 'inactive';

/**
 * The projection of end users by organization and tracking string, with ordinals in order of registration. Counts of
 * inactive end users give the total of active end users, and the start of each page of active end users, at a cost that
 * does not grow with the offset. Active end users have no counts, so that a registration changes no count.
 */
export const endUserDirectory: Projection<EndUserEvent> = {
  name: 'end-user-directory',
  version: 2,
  events: endUserEvents,
  collections: {
    end_users: {
      indexes: { by_activity: ['organization_id', 'is_active', 'ordinal'] },
    },
    organizations: { indexes: {} },
  },
  evolve,
};

/** Returns the key of an end user's document. Organization ids have a fixed length, so no two keys are the same. */
export function endUserKey(organizationId: string, user: string): string {
  return `${organizationId}/${user}`;
}

function evolve(documents: Documents, event: Recorded<EndUserEvent>): void {
  switch (event.type) {
    case 'EndUserRegistered':
      register(documents, event);
      return;
    case 'EndUserDeactivated':
    case 'EndUserReactivated':
      changeActivity(documents, event);
      return;
    default:
      return event satisfies never;
  }
}

function register(documents: Documents, event: Recorded<EndUserEvent>): void {
  const { organization_id, user } = event.data;
  const organization = documents.get<OrganizationDocument>('organizations', organization_id);
  const ordinal = organization?.registered ?? 0;
  const state = endUser.evolve(null, event);
  const userKey = endUserKey(organization_id, user);
  documents.create('end_users', userKey, { ordinal, ...state });
  documents.set('organizations', organization_id, { ...organization, registered: ordinal + 1 });
}

function changeActivity(documents: Documents, event: Recorded<EndUserEvent>): void {
  const { organization_id, user } = event.data;
  const userKey = endUserKey(organization_id, user);
  const before = documents.get<EndUserDocument>('end_users', userKey);
  const organization = documents.get<OrganizationDocument>('organizations', organization_id);
  const after = endUser.evolve(before ?? null, event);
  if (!before || !organization || !after) return;
  const { ordinal } = before;
  documents.set('end_users', userKey, { ordinal, ...after });
  recount(documents, 'organizations', organization_id, ordinal, {
    [INACTIVE]: Number(before.is_active) - Number(after.is_active),
  });
}
