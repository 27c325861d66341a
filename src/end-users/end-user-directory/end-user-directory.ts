import { Inject, Injectable } from '@nestjs/common';
import type { Position } from '../../kernel/position.js';
import {
  BLOCK_SIZE,
  CHUNK_SIZE,
  countsOf,
  leftIn,
  placeOfRank,
  sumOf,
} from '../../projections/rank-counts.js';
import { type ReadModel, ReadModels } from '../../projections/read-model.js';
import type { View } from '../../read-store/read-store.js';
import type { EndUser } from '../domain/end-user.js';
import type { EndUserRecord } from '../end-user-record.js';
import {
  endUserDirectory,
  type EndUserDocument,
  endUserKey,
  INACTIVE,
  type OrganizationDocument,
} from './end-user-directory.projection.js';

/** Which end users a list shows. */
export interface PageRange {
  readonly offset: number;
  readonly limit: number;
  readonly includeInactive: boolean;
}

export interface EndUserPage {
  readonly endUsers: readonly EndUserRecord[];
  /** All that match, not just this page. */
  readonly total: number;
  /** The log position that the page reflects at least. */
  readonly position: Position;
}

export interface FoundEndUser {
  readonly endUser: EndUser | undefined;
  /** As of a page. */
  readonly position: Position;
}

/** Reads of the end-user directory; each sees every write that was answered before it. */
@Injectable()
export class EndUserDirectory {
  readonly #model: ReadModel;

  constructor(@Inject(ReadModels) models: ReadModels) {
    this.#model = models.of(endUserDirectory);
  }

  /** End users of an organization in order of registration. */
  async page(organizationId: string, range: PageRange): Promise<EndUserPage> {
    const { found, position } = await this.#model.read(organizationId, async (view) => {
      const kept = await view.get<OrganizationDocument>('organizations', organizationId);
      const organization = kept ?? { registered: 0 };
      const total = range.includeInactive
        ? organization.registered
        : organization.registered - sumOf(countsOf(organization, INACTIVE));
      if (range.offset >= total) return { endUsers: [], total };
      const endUsers = range.includeInactive
        ? await findAll(view, organizationId, range)
        : await findActive(view, organizationId, organization, range);
      return { endUsers, total };
    });
    return { position, ...found };
  }

  /** The one end user of a tracking string, as a page of all that match it. */
  async matching(organizationId: string, user: string, range: PageRange): Promise<EndUserPage> {
    const { endUser, position } = await this.find(organizationId, user);
    const matches = endUser && (range.includeInactive || endUser.is_active) ? [endUser] : [];
    const { offset, limit } = range;
    return { endUsers: matches.slice(offset, offset + limit), total: matches.length, position };
  }

  /** The end user of a tracking string, active or not. */
  async find(organizationId: string, user: string): Promise<FoundEndUser> {
    const key = endUserKey(organizationId, user);
    const { found, position } = await this.#model.read(organizationId, (view) =>
      view.get<EndUserDocument>('end_users', key),
    );
    return { endUser: found, position };
  }
}

/** Together the two are a range of ordinals without gaps, so neither has more than the page. */
async function findAll(
  view: View,
  organizationId: string,
  { offset, limit }: PageRange,
): Promise<EndUserDocument[]> {
  const found: EndUserDocument[] = [];
  for (const is_active of [true, false]) {
    const part = await view.range<EndUserDocument>('end_users', {
      index: 'by_activity',
      equals: { organization_id: organizationId, is_active },
      from: offset,
      to: offset + limit - 1,
      limit,
    });
    found.push(...part.documents);
  }
  return found.sort((a, b) => a.ordinal - b.ordinal);
}

async function findActive(
  view: View,
  organizationId: string,
  organization: OrganizationDocument,
  { offset, limit }: PageRange,
): Promise<EndUserRecord[]> {
  const { registered } = organization;
  const chunks = leftIn(registered, CHUNK_SIZE, countsOf(organization, INACTIVE));
  const place = await placeOfRank(
    view,
    organizationId,
    offset,
    'ascending',
    chunks,
    (counts, chunk) => {
      const size = Math.min(CHUNK_SIZE, registered - chunk * CHUNK_SIZE);
      return leftIn(size, BLOCK_SIZE, countsOf(counts, INACTIVE));
    },
  );
  if (!place) return [];
  const { documents } = await view.range<EndUserRecord>('end_users', {
    index: 'by_activity',
    equals: { organization_id: organizationId, is_active: true },
    from: place.from,
    skip: place.skip,
    limit,
  });
  return documents;
}
