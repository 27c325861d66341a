import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../../../kernel/errors.js';
import type { Actor } from '../../../kernel/metadata.js';
import type { Read } from '../../../kernel/read.js';
import {
  filledPage,
  type Part,
  type PlacedPage,
  readInParts,
} from '../../../event-sourcing/projections/parts.js';
import { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import { type AuditEvent, targetTypeOf } from '../domain/audit-event.js';
import { positionIn, timeIn } from '../domain/order.js';
import { type AuditCollections, auditTrail, type EventDocument } from './audit-trail.projection.js';
import { type EventFilter, type Plan, planOf } from './event-filter.js';
import { partOf } from './newest-first.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';

/** The maximum number of events that a page examines, matching or not (docs/api.md 11.3). */
const MOST_EXAMINED = 1_000;
/** The maximum size of an answer without its events, in bytes: a cursor and the names of fields. */
const FRAME_BYTES = 1_000;

export interface AuditPageWanted {
  readonly filter: EventFilter;
  readonly limit: number;
  /** The order of the last event before the page; undefined for the first page. */
  readonly after: string | undefined;
}

/** The queries of the audit trail, newest event first. A query waits, with a time-out, for all writes answered earlier. */
@Injectable()
export class AuditDirectory {
  readonly #model: ReadModel<AuditCollections>;

  constructor(@Inject(MANAGEMENT.models) models: ReadModels) {
    this.#model = new ReadModel(auditTrail, models);
  }

  async page(
    accountId: string,
    { filter, limit, after }: AuditPageWanted,
  ): Promise<Read<PlacedPage<AuditEvent>>> {
    const plan = planOf(accountId, filter);
    // One event more than the page has shows whether another page follows.
    const { found, isLate } = await this.#model.read(accountId, (view) =>
      partOf(view, plan, after, limit + 1),
    );
    const page = await filledPage(this.#parts(accountId, plan, found), {
      limit,
      mostExamined: MOST_EXAMINED,
      frameBytes: FRAME_BYTES,
      recordOf: (document) => (plan.matches(document) ? auditEventOf(document) : null),
      placeOf: ({ order }) => order,
    });
    return { found: page, isLate };
  }

  /** @throws Refusal when the account has no such event. */
  event(accountId: string, id: string): Promise<Read<AuditEvent>> {
    return this.#model.read(accountId, async (view) => {
      const { documents } = await view.range('audit_events', {
        index: 'by_id',
        equals: { event: id, account: accountId },
        limit: 1,
      });
      const [document] = documents;
      if (!document) throw notFound();
      return auditEventOf(document);
    });
  }

  /** Returns all events that match, in chunks, each read when the consumer asks for it. Resolves when the first one is read. */
  async stream(
    accountId: string,
    filter: EventFilter,
  ): Promise<Read<AsyncIterable<readonly AuditEvent[]>>> {
    const plan = planOf(accountId, filter);
    const { found, isLate } = await this.#model.read(accountId, (view) => partOf(view, plan));
    return { found: this.#chunks(accountId, plan, found), isLate };
  }

  /** Returns the matching events in chunks, but does not wait for writes. @throws Refusal when the account is unknown. */
  async projected(
    accountId: string,
    filter: EventFilter,
  ): Promise<AsyncIterable<readonly AuditEvent[]>> {
    const plan = planOf(accountId, filter);
    const first = await this.#model.projected(accountId, async (view) => {
      const everything = planOf(accountId, {});
      const { rows } = await partOf(view, everything, undefined, 1);
      if (rows.length === 0) throw notFound();
      return partOf(view, plan);
    });
    return this.#chunks(accountId, plan, first);
  }

  async *#chunks(accountId: string, plan: Plan, first: Part<EventDocument>) {
    for await (const documents of this.#parts(accountId, plan, first)) {
      // An empty chunk is delivered too, so that a reader who has left is noticed.
      yield documents.filter(plan.matches).map(auditEventOf);
    }
  }

  #parts(accountId: string, plan: Plan, first: Part<EventDocument>) {
    return readInParts(first, (after) =>
      this.#model.projected(accountId, (view) => partOf(view, plan, after)),
    );
  }
}

function auditEventOf(document: EventDocument): AuditEvent {
  const { order, action, by, actor, user = null, name = null } = document;
  return {
    id: document.event,
    occurred_at: timeIn(order),
    action,
    actor: { type: by, id: actor, user_id: user } as Actor,
    target: { type: targetTypeOf(action), id: document.target, name },
    changes: document.changes.map(([field, before, after]) => ({ field, before, after })),
    request_id: document.request ?? null,
    trace_id: document.trace ?? null,
    log_position: positionIn(order),
  };
}
