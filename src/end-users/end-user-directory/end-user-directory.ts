import { Inject, Injectable } from '@nestjs/common';
import type { Position } from '../../kernel/position.js';
import { ReadYourWrites } from '../../projections/read-your-writes.js';
import { READ_STORE, type ReadModel, type ReadStore } from '../../read-store/read-store.js';
import type { EndUser } from '../domain/end-user.js';
import {
  endUserDirectory,
  type EndUserDocument,
  endUserKey,
  type OrganizationDocument,
} from './end-user-directory.projection.js';

export interface EndUserPage {
  readonly endUsers: readonly EndUser[];
  /** All that match, not just this page. */
  readonly total: number;
  /** The log position that the page reflects at least. */
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

  /** End users of an organization in order of registration. @param offset from 0. */
  async page(organizationId: string, offset: number, limit: number): Promise<EndUserPage> {
    const position = await this.readYourWrites.settled(endUserDirectory.name);
    // The counter is written after the end users it counts. Read first, it is the point of the log that the
    // page shows: every ordinal below it exists, and later ones stay out.
    const counter = await this.#model.get<OrganizationDocument>('organizations', organizationId);
    const total = counter?.document.registered ?? 0;
    const end = Math.min(offset + limit, total);
    if (offset >= end) return { endUsers: [], total, position };
    const endUsers = await this.#model.find<EndUserDocument>('end_users', {
      index: 'by_ordinal',
      equals: { organization_id: organizationId },
      from: offset,
      to: end - 1,
      limit,
    });
    return { endUsers, total, position };
  }

  /** The one end user of a tracking string, as a page of all that match it. */
  async matching(
    organizationId: string,
    user: string,
    offset: number,
    limit: number,
  ): Promise<EndUserPage> {
    const position = await this.readYourWrites.settled(endUserDirectory.name);
    const key = endUserKey(organizationId, user);
    const kept = await this.#model.get<EndUserDocument>('end_users', key);
    const matches = kept ? [kept.document] : [];
    return { endUsers: matches.slice(offset, offset + limit), total: matches.length, position };
  }
}
