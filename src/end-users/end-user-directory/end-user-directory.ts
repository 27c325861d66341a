import { Inject, Injectable } from '@nestjs/common';
import type { Position } from '../../kernel/position.js';
import { ReadYourWrites } from '../../projections/read-your-writes.js';
import {
  READ_STORE,
  type ReadModel,
  type ReadStore,
  type ReadView,
} from '../../read-store/read-store.js';
import type { EndUser } from '../domain/end-user.js';
import type { EndUserRecord } from '../end-user-record.js';
import { activeOf, placeOfActive } from './active-end-users.js';
import {
  chunkKey,
  type ChunkDocument,
  endUserDirectory,
  type EndUserDocument,
  endUserKey,
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

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(ReadYourWrites) private readonly readYourWrites: ReadYourWrites,
  ) {
    this.#model = store.readModel(endUserDirectory);
  }

  /** End users of an organization in order of registration. */
  async page(organizationId: string, range: PageRange): Promise<EndUserPage> {
    const position = await this.readYourWrites.settled(endUserDirectory.name);
    const page = await this.#model.snapshot(async (view) => {
      const kept = await view.get<OrganizationDocument>('organizations', organizationId);
      const organization = kept?.document ?? { registered: 0 };
      const total = range.includeInactive ? organization.registered : activeOf(organization);
      if (range.offset >= total) return { endUsers: [], total };
      const endUsers = range.includeInactive
        ? await findAll(view, organizationId, range)
        : await findActive(view, organizationId, organization, range);
      return { endUsers, total };
    });
    return { position, ...page };
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
    const position = await this.readYourWrites.settled(endUserDirectory.name);
    const key = endUserKey(organizationId, user);
    const kept = await this.#model.get<EndUserDocument>('end_users', key);
    return { endUser: kept?.document, position };
  }
}

/** Together the two are a range of ordinals without gaps, so neither has more than the page. */
async function findAll(
  view: ReadView,
  organizationId: string,
  { offset, limit }: PageRange,
): Promise<EndUserDocument[]> {
  const found: EndUserDocument[] = [];
  for (const is_active of [true, false]) {
    const part = await view.find<EndUserDocument>('end_users', {
      index: 'by_activity',
      equals: { organization_id: organizationId, is_active },
      from: offset,
      to: offset + limit - 1,
      limit,
    });
    found.push(...part);
  }
  return found.sort((a, b) => a.ordinal - b.ordinal);
}

async function findActive(
  view: ReadView,
  organizationId: string,
  organization: OrganizationDocument,
  { offset, limit }: PageRange,
): Promise<EndUserRecord[]> {
  const inactiveByBlock = async (chunk: number): Promise<readonly number[]> => {
    const key = chunkKey(organizationId, chunk);
    return (await view.get<ChunkDocument>('chunks', key))?.document.inactive ?? [];
  };
  const place = await placeOfActive(organization, offset, inactiveByBlock);
  if (!place) return [];
  return view.find<EndUserRecord>('end_users', {
    index: 'by_activity',
    equals: { organization_id: organizationId, is_active: true },
    from: place.from,
    skip: place.skip,
    limit,
    unneeded: ['organization_id', 'ordinal'],
  });
}
