import type { Recorded } from '../../kernel/event.js';
import type { Change, DocumentRef, Lookup, Projection } from '../../projections/projection.js';
import { type EndUser, endUser } from '../domain/end-user.js';
import { type EndUserEvent, endUserEvents } from '../domain/end-user.events.js';

export interface EndUserDocument extends EndUser, Record<string, unknown> {
  /** Place in the organization's order of registration, from 0, without gaps. */
  readonly ordinal: number;
}

export interface OrganizationDocument extends Record<string, unknown> {
  /** How many end users it has registered; also the ordinal of the next one. */
  readonly registered: number;
}

/**
 * End users by organization and tracking string, numbered densely in order of registration, and counters:
 * a page is a range of ordinals and a total a stored number, at any depth.
 */
export const endUserDirectory: Projection<EndUserEvent> = {
  name: 'end-user-directory',
  version: 1,
  events: endUserEvents,
  collections: {
    end_users: { indexes: { by_ordinal: ['organization_id', 'ordinal'] } },
    organizations: { indexes: {} },
  },
  touches,
  creates,
  evolve,
};

/** The key of an end user's document. The organization's id has a fixed length, so no two are the same. */
export function endUserKey(organizationId: string, user: string): string {
  return `${organizationId}/${user}`;
}

function touches({ data }: Recorded<EndUserEvent>): DocumentRef[] {
  return [{ collection: 'organizations', key: data.organization_id }];
}

function creates({ data }: Recorded<EndUserEvent>): DocumentRef[] {
  return [{ collection: 'end_users', key: endUserKey(data.organization_id, data.user) }];
}

function evolve(lookup: Lookup, event: Recorded<EndUserEvent>): Change[] {
  const { organization_id, user } = event.data;
  const organization = lookup('organizations', organization_id) as OrganizationDocument | undefined;
  const ordinal = organization?.registered ?? 0;
  const state = endUser.evolve(null, event);
  return [
    {
      collection: 'end_users',
      key: endUserKey(organization_id, user),
      document: { ...state, ordinal },
    },
    { collection: 'organizations', key: organization_id, document: { registered: ordinal + 1 } },
  ];
}
