import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../../../kernel/errors.js';
import type { Page, Paging } from '../../../kernel/page.js';
import type { Read } from '../../../kernel/read.js';
import {
  complementOf,
  placeOfRank,
  sumOf,
} from '../../../event-sourcing/projections/rank-counts.js';
import { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import type { View } from '../../../event-sourcing/read-store/read-store.js';
import type { EndUser } from '../domain/end-user.js';
import {
  type EndUserCollections,
  endUserDirectory,
  endUserKey,
  type OrganizationDocument,
  RECORD,
} from './end-user-directory.projection.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';

/** The page of a list, and whether the list includes inactive end users. */
export interface PageRange extends Paging {
  readonly includeInactive: boolean;
}

/** The queries of the end-user directory. Each waits, with a time-out, for earlier writes. */
@Injectable()
export class EndUserDirectory {
  readonly #model: ReadModel<EndUserCollections>;

  constructor(@Inject(MANAGEMENT.models) models: ReadModels) {
    this.#model = new ReadModel(endUserDirectory, models);
  }

  /** Returns a page of the records of end users, as JSON, in order of registration. */
  page(organizationId: string, range: PageRange): Promise<Read<Page<string>>> {
    const read = async (view: View<EndUserCollections>): Promise<Page<string>> => {
      const kept = await view.get('organizations', organizationId);
      const organization: OrganizationDocument = kept ?? { registered: 0 };
      const total = range.includeInactive
        ? organization.registered
        : organization.registered - sumOf(organization.inactive ?? []);
      const place = pageStart(organization, range);
      if (!place) return { documents: [], total };
      const own = { organization_id: organizationId };
      const documents = await view.records('end_users', {
        index: 'by_activity',
        ...(range.includeInactive
          ? { equals: own, anyOf: [true, false] }
          : { equals: { is_active: true, ...own } }),
        ...place,
        limit: range.limit,
      });
      return { documents, total };
    };
    return this.#model.read(organizationId, read, { organizations: [organizationId] });
  }

  /** Returns a page with at most one record, that of the end user with a tracking string. */
  matching(
    organizationId: string,
    user: string,
    { includeInactive, offset, limit }: PageRange,
  ): Promise<Read<Page<string>>> {
    const userKey = endUserKey(organizationId, user);
    const read = async (view: View<EndUserCollections>): Promise<Page<string>> => {
      const endUser = await view.get('end_users', userKey);
      const all = endUser && (includeInactive || endUser.is_active) ? [endUser] : [];
      const shown = all.slice(offset, offset + limit);
      const documents = shown.map((one) => JSON.stringify(one, [...RECORD]));
      return { documents, total: all.length };
    };
    return this.#model.read(organizationId, read, { end_users: [userKey] });
  }

  /** Returns an end user, active or not. @throws Refusal when `user` is not registered. */
  find(organizationId: string, user: string): Promise<Read<EndUser>> {
    const userKey = endUserKey(organizationId, user);
    const read = async (view: View<EndUserCollections>): Promise<EndUser> => {
      const endUser = await view.get('end_users', userKey);
      if (!endUser) throw notFound();
      return endUser;
    };
    return this.#model.read(organizationId, read, { end_users: [userKey] });
  }
}

/** Returns the ordinal to read a page from, and how many matches to skip; null past the end. */
function pageStart(
  organization: OrganizationDocument,
  { offset, includeInactive }: PageRange,
): { readonly from: number; readonly skip: number } | null {
  const { registered, inactive = [] } = organization;
  if (includeInactive) return offset < registered ? { from: offset, skip: 0 } : null;
  const active = complementOf(registered, inactive);
  const place = placeOfRank(active, offset, 'ascending', registered);
  return place && { from: place.from, skip: place.skip };
}
