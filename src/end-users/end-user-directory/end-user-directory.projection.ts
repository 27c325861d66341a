import type { Recorded } from '../../kernel/event.js';
import type { Change, DocumentRef, Lookup, Projection } from '../../projections/projection.js';
import { blockOf, chunkOf, recounted } from '../../projections/rank-counts.js';
import { type EndUser, endUser } from '../domain/end-user.js';
import { type EndUserEvent, endUserEvents } from '../domain/end-user.events.js';

export interface EndUserDocument extends EndUser, Record<string, unknown> {
  /** Place in the organization's order of registration, from 0, without gaps. */
  readonly ordinal: number;
}

/** Of a chunk of ordinals in which an end user was deactivated. */
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
 * End users by organization and tracking string, numbered densely in order of registration, and counters of those
 * that are inactive: a page of the active ones is found by counting, and a total is a sum, at any depth. Counted are
 * the inactive ones so that a registration changes no count.
 */
export const endUserDirectory: Projection<EndUserEvent> = {
  name: 'end-user-directory',
  version: 3,
  continuesFrom: 2,
  events: endUserEvents,
  collections: {
    end_users: {
      indexes: { by_activity: ['organization_id', 'is_active', 'ordinal'] },
      shared: ['organization_id'],
    },
    chunks: { indexes: {} },
    organizations: { indexes: {} },
  },
  touches,
  alsoTouches,
  creates,
  evolve,
};

/** The key of an end user's document. The organization's id has a fixed length, so no two are the same. */
export function endUserKey(organizationId: string, user: string): string {
  return `${organizationId}/${user}`;
}

export function chunkKey(organizationId: string, chunk: number): string {
  return `${organizationId}/${chunk}`;
}

function touches(event: Recorded<EndUserEvent>): DocumentRef[] {
  const { organization_id, user } = event.data;
  const organization = { collection: 'organizations', key: organization_id };
  if (event.type === 'EndUserRegistered') return [organization];
  return [{ collection: 'end_users', key: endUserKey(organization_id, user) }, organization];
}

function alsoTouches(lookup: Lookup, event: Recorded<EndUserEvent>): DocumentRef[] {
  if (event.type === 'EndUserRegistered') return [];
  const before = endUserBefore(lookup, event);
  if (!before) return [];
  return [{ collection: 'chunks', key: chunkKey(before.organization_id, chunkOf(before.ordinal)) }];
}

function creates(event: Recorded<EndUserEvent>): DocumentRef[] {
  if (event.type !== 'EndUserRegistered') return [];
  const { organization_id, user } = event.data;
  return [{ collection: 'end_users', key: endUserKey(organization_id, user) }];
}

function evolve(lookup: Lookup, event: Recorded<EndUserEvent>): Change[] {
  switch (event.type) {
    case 'EndUserRegistered':
      return register(lookup, event);
    case 'EndUserDeactivated':
    case 'EndUserReactivated':
      return changeActivity(lookup, event);
  }
}

function register(lookup: Lookup, event: Recorded<EndUserEvent>): Change[] {
  const { organization_id, user } = event.data;
  const organization = organizationBefore(lookup, organization_id);
  const ordinal = organization?.registered ?? 0;
  const state = endUser.evolve(null, event);
  return [
    {
      collection: 'end_users',
      key: endUserKey(organization_id, user),
      document: { ordinal, ...state },
    },
    {
      collection: 'organizations',
      key: organization_id,
      document: { ...organization, registered: ordinal + 1 },
    },
  ];
}

function changeActivity(lookup: Lookup, event: Recorded<EndUserEvent>): Change[] {
  const { organization_id, user } = event.data;
  const before = endUserBefore(lookup, event);
  const organization = organizationBefore(lookup, organization_id);
  const after = endUser.evolve(before ?? null, event);
  if (!before || !organization || !after) return [];
  const { ordinal } = before;
  const chunk = chunkOf(ordinal);
  const key = chunkKey(organization_id, chunk);
  const counted = lookup('chunks', key) as ChunkDocument | undefined;
  const more = Number(before.is_active) - Number(after.is_active);
  return [
    {
      collection: 'end_users',
      key: endUserKey(organization_id, user),
      document: { ordinal, ...after },
    },
    {
      collection: 'chunks',
      key,
      document: { inactive: recounted(counted?.inactive, blockOf(ordinal), more) },
    },
    {
      collection: 'organizations',
      key: organization_id,
      document: { ...organization, inactive: recounted(organization.inactive, chunk, more) },
    },
  ];
}

function endUserBefore(
  lookup: Lookup,
  { data: { organization_id, user } }: Recorded<EndUserEvent>,
): EndUserDocument | undefined {
  return lookup('end_users', endUserKey(organization_id, user)) as EndUserDocument | undefined;
}

function organizationBefore(lookup: Lookup, id: string): OrganizationDocument | undefined {
  return lookup('organizations', id) as OrganizationDocument | undefined;
}
