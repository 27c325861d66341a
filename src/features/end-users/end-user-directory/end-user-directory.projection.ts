import type { Recorded } from '../../../kernel/event.js';
import type { Documents, Projection } from '../../../event-sourcing/projections/projection.js';
import { countsAfter } from '../../../event-sourcing/projections/rank-counts.js';
import { type EndUser, endUser } from '../domain/end-user.js';
import { type RegistrationEvent, registrationEvents } from '../domain/end-user.events.js';

export interface EndUserDocument extends EndUser {
  /** The place of the end user in the organization's registrations, from 0, without gaps. */
  readonly ordinal: number;
}

/** An organization, with counts of its inactive end users. */
export interface OrganizationDocument {
  /** How many end users the organization has registered; also the ordinal of the next one. */
  readonly registered: number;
  /** The number of inactive end users in each block of ordinals (`rank-counts.ts`). */
  readonly inactive?: readonly number[];
}

/** The fields of an end user that answers show (docs/api.md 5.1), in order. */
export const RECORD = ['user', 'is_active', 'created_at', 'updated_at'] as const;

export interface EndUserCollections {
  readonly end_users: EndUserDocument;
  readonly organizations: OrganizationDocument;
}

/**
 * End users by organization and tracking string, with ordinals in order of registration. Counts of
 * inactive ones give the total of active ones and the start of each page of them, at a cost that
 * does not grow with the offset. Active ones are not counted, so a registration changes no count.
 */
export const endUserDirectory: Projection<RegistrationEvent, EndUserCollections> = {
  name: 'end-user-directory',
  version: 4,
  events: registrationEvents,
  collections: {
    end_users: {
      indexes: { by_activity: ['organization_id', 'is_active', 'ordinal'] },
      record: RECORD,
      recurring: ['organization_id'],
    },
    organizations: { indexes: {} },
  },
  evolve,
};

/** Returns the key of an end user's document: unique, as organization ids are equally long. */
export function endUserKey(organizationId: string, user: string): string {
  return `${organizationId}/${user}`;
}

function evolve(
  documents: Documents<EndUserCollections>,
  event: Recorded<RegistrationEvent>,
): void {
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

function register(
  documents: Documents<EndUserCollections>,
  event: Recorded<RegistrationEvent>,
): void {
  const { organization_id, user } = event.data;
  const organization = documents.get('organizations', organization_id);
  const ordinal = organization?.registered ?? 0;
  const state = endUser.evolve(null, event);
  if (!state) return;
  const userKey = endUserKey(organization_id, user);
  documents.create('end_users', userKey, { ordinal, ...state });
  documents.set('organizations', organization_id, { ...organization, registered: ordinal + 1 });
}

function changeActivity(
  documents: Documents<EndUserCollections>,
  event: Recorded<RegistrationEvent>,
): void {
  const { organization_id, user } = event.data;
  const userKey = endUserKey(organization_id, user);
  const before = documents.get('end_users', userKey);
  const organization = documents.get('organizations', organization_id);
  const after = endUser.evolve(before ?? null, event);
  if (!before || !organization || !after) return;
  const { ordinal } = before;
  documents.set('end_users', userKey, { ordinal, ...after });
  const change = Number(before.is_active) - Number(after.is_active);
  documents.set('organizations', organization_id, {
    ...organization,
    inactive: countsAfter(organization.inactive, ordinal, change),
  });
}
