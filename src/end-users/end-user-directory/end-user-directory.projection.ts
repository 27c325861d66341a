import type { Recorded } from '../../kernel/event.js';
import type { Documents, Projection } from '../../projections/projection.js';
import { blockOf, chunkOf, recounted } from '../../projections/rank-counts.js';
import { type EndUser, endUser } from '../domain/end-user.js';
import { type EndUserEvent, endUserEvents } from '../domain/end-user.events.js';

export interface EndUserDocument extends EndUser, Record<string, unknown> {
  /** Place in the organization's order of registration, from 0, without gaps. */
  readonly ordinal: number;
}

/** Counts of a chunk of ordinals in which an end user was deactivated. */
export interface ChunkDocument extends Record<string, unknown> {
  /** How many are inactive in each block of the chunk. */
  readonly inactive: readonly number[];
}

export interface OrganizationDocument extends Record<string, unknown> {
  /** How many end users it has registered; also the ordinal of the next one. */
  readonly registered: number;
  /** How many are inactive in each chunk; absent before the first deactivation. */
  readonly inactive?: readonly number[];
}

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

export function chunkKey(organizationId: string, chunk: number): string {
  return `${organizationId}/${chunk}`;
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
  const chunk = chunkOf(ordinal);
  const key = chunkKey(organization_id, chunk);
  const counted = documents.get<ChunkDocument>('chunks', key);
  const more = Number(before.is_active) - Number(after.is_active);
  documents.set('end_users', userKey, { ordinal, ...after });
  documents.set('chunks', key, {
    inactive: recounted(counted?.inactive, blockOf(ordinal), more),
  });
  documents.set('organizations', organization_id, {
    ...organization,
    inactive: recounted(organization.inactive, chunk, more),
  });
}
