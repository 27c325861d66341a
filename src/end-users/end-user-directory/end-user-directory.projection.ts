import type { Recorded } from '../../kernel/event.js';
import type { Documents, Projection } from '../../projections/projection.js';
import { type Counts, recount } from '../../projections/rank-counts.js';
import { type EndUser, endUser } from '../domain/end-user.js';
import { type EndUserEvent, endUserEvents } from '../domain/end-user.events.js';

export interface EndUserDocument extends EndUser, Record<string, unknown> {
  /** Place in the organization's order of registration, from 0, without gaps. */
  readonly ordinal: number;
}

/** An organization, with counts of its inactive end users. */
export interface OrganizationDocument extends Counts {
  /** How many end users it has registered; also the ordinal of the next one. */
  readonly registered: number;
}

/** The flag of what is counted. */
export const INACTIVE = 'inactive';

/**
 * End users by organization and tracking string, numbered densely in order of registration, and counters of the inactive
 * ones. A page of the active ones is found by counting, and a total is a sum, at any depth. The inactive ones are counted
 * so that a registration changes no count.
 */
export const endUserDirectory: Projection<EndUserEvent> = {
  name: 'end-user-directory',
  version: 4,
  events: endUserEvents,
  collections: {
    end_users: {
      indexes: { by_activity: ['organization_id', 'is_active', 'ordinal'] },
    },
    chunks: { indexes: {} },
    organizations: { indexes: {} },
  },
  evolve,
};

/** The key of an end user's document. The organization's id has a fixed length, so no two are the same. */
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
  }
}

function register(documents: Documents, event: Recorded<EndUserEvent>): void {
  const { organization_id, user } = event.data;
  const organization = documents.get<OrganizationDocument>('organizations', organization_id);
  const ordinal = organization?.registered ?? 0;
  const state = endUser.evolve(null, event);
  documents.create('end_users', endUserKey(organization_id, user), { ordinal, ...state });
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
