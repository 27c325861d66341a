import { Inject, Injectable } from '@nestjs/common';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';
import {
  ListInParts,
  type Part,
  type PlacedPage,
} from '../../../event-sourcing/projections/list-in-parts.js';
import { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import type { View } from '../../../event-sourcing/read-store/read-store.js';
import { Refusal } from '../../../kernel/errors.js';
import { type Position, START } from '../../../kernel/position.js';
import type { Read } from '../../../kernel/read.js';
import type { AuditEvent } from '../domain/audit-event.js';
import { auditEventOf, MOST_EXAMINED } from './audit-directory.js';
import { type AuditCollections, auditTrail, type EventDocument } from './audit-trail.projection.js';
import { type EventFilter, planOf } from './event-filter.js';
import { RANGE_BYTES, RANGE_EVENTS } from './newest-first.js';

/** More characters than any cursor has: its filters are two long texts and all actions. */
export const LONGEST_CURSOR = 12_000;

/** The place before the first event. */
export const BEGINNING = '';

/** The question of a reader of the feed. */
export interface FeedQuestion {
  readonly accountId: string;
  readonly filter: EventFilter;
  readonly limit: number;
  /** The place after which the page begins. */
  readonly after: string;
}

export type FeedPage = PlacedPage<AuditEvent>;

/** The queries of the feed: the events of an account, in the order of the log. */
@Injectable()
export class EventFeed {
  readonly #model: ReadModel<AuditCollections>;

  constructor(@Inject(MANAGEMENT.models) private readonly models: ReadModels) {
    this.#model = new ReadModel(auditTrail, models);
  }

  /** Returns the place after the last event of an account. */
  latest(accountId: string): Promise<Read<string>> {
    return this.#model.read(accountId, async (view) => {
      const { documents } = await view.range('audit_events', {
        index: 'by_position',
        equals: { account: accountId },
        descending: true,
        limit: 1,
      });
      const [last] = documents;
      return last ? placeOf(last) : BEGINNING;
    });
  }

  /**
   * Returns a page. It waits like other reads, and until the place is folded.
   * @throws Refusal when no event of the account is at the place.
   */
  async page(question: FeedQuestion): Promise<Read<FeedPage>> {
    const { position } = eventAt(question.after);
    const place = await this.models.wait.forPosition(position);
    if (place === 'beyond') throw new Refusal('cursor-unknown');
    if (place === 'late') return { found: await this.pageNow(question), isLate: true };
    return this.#list(question).page(question.limit, question.after);
  }

  /** Returns a page of what is folded. It is empty while the place is not folded. */
  pageNow(question: FeedQuestion): Promise<FeedPage> {
    return this.#list(question).pageNow(question.limit, question.after);
  }

  /** Waits until a position is folded. @returns whether it is, within `withinMs`. */
  folded(position: Position, withinMs: number): Promise<boolean> {
    return this.models.progress.waitFor(position, withinMs);
  }

  #list({
    accountId,
    filter,
  }: FeedQuestion): ListInParts<AuditCollections, EventDocument, AuditEvent> {
    const { matches } = planOf(accountId, filter);
    return new ListInParts(this.#model, accountId, {
      read: (view, after, limit) => readOldestPart(view, accountId, after, limit),
      recordOf: (document) => (matches(document) ? auditEventOf(document) : null),
      placeOf,
      mostExamined: MOST_EXAMINED,
      frameBytes: LONGEST_CURSOR,
    });
  }
}

/** A place names the event that it is after, because another log may have another event there. */
function placeOf({ position, event }: EventDocument): string {
  return `${position} ${event}`;
}

function eventAt(place: string): { readonly position: Position; readonly event: string } {
  const [position = START, event = ''] = place.split(' ');
  return { position, event };
}

/** @throws Refusal when no event of the account is at the place. */
async function readOldestPart(
  view: View<AuditCollections>,
  account: string,
  after = BEGINNING,
  limit = RANGE_EVENTS,
): Promise<Part<EventDocument>> {
  const { position, event } = eventAt(after);
  // The read models may be behind a place that another replica gave.
  if (view.checkpoint < position) return { rows: [], next: null };
  const [before, { documents, isWhole }] = await Promise.all([
    position === START ? null : view.get('audit_events', position),
    view.range('audit_events', {
      index: 'by_position',
      equals: { account },
      after: position,
      limit,
      bytes: RANGE_BYTES,
    }),
  ]);
  const isThere = before?.event === event && before.account === account;
  if (position !== START && !isThere) throw new Refusal('cursor-unknown');
  const isEnd = isWhole && documents.length < limit;
  const last = documents.at(-1);
  return { rows: documents, next: isEnd || !last ? null : placeOf(last) };
}
