import { Inject, Injectable } from '@nestjs/common';
import { notFound } from '../../../kernel/errors.js';
import type { Actor } from '../../../kernel/metadata.js';
import type { Read } from '../../../kernel/read.js';
import { ListInParts } from '../../../event-sourcing/projections/list-in-parts.js';
import { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import { type AuditEvent, targetTypeOf } from '../domain/audit-event.js';
import { timeIn } from '../domain/order.js';
import { type AuditCollections, auditTrail, type EventDocument } from './audit-trail.projection.js';
import { type EventFilter, planOf } from './event-filter.js';
import { readNewestPart } from './newest-first.js';
import { MANAGEMENT } from '../../../event-sourcing/ledger.js';

/** The maximum number of events that a page examines, matching or not (docs/api.md 11.3, 11.6). */
export const MOST_EXAMINED = 1_000;
/** More than the events that have the same id, even where another program wrote some of them. */
const MOST_WITH_ID = 100;
/** The maximum size of an answer without its events, in bytes: a cursor and the names of fields. */
const FRAME_BYTES = 1_000;

/** The queries of the audit trail, newest event first. */
@Injectable()
export class AuditDirectory {
  readonly #model: ReadModel<AuditCollections>;

  constructor(@Inject(MANAGEMENT.models) models: ReadModels) {
    this.#model = new ReadModel(auditTrail, models);
  }

  list(
    accountId: string,
    filter: EventFilter,
  ): ListInParts<AuditCollections, EventDocument, AuditEvent> {
    const plan = planOf(accountId, filter);
    return new ListInParts(this.#model, accountId, {
      read: (view, after, limit) => readNewestPart(view, plan, after, limit),
      recordOf: (document) => (plan.matches(document) ? auditEventOf(document) : null),
      placeOf: ({ order }) => order,
      mostExamined: MOST_EXAMINED,
      frameBytes: FRAME_BYTES,
    });
  }

  /** @throws Refusal when the account has no such event. */
  event(accountId: string, id: string): Promise<Read<AuditEvent>> {
    return this.#model.read(accountId, async (view) => {
      const { documents } = await view.range('audit_events', {
        index: 'by_id',
        equals: { event: id },
        limit: MOST_WITH_ID,
      });
      const document = documents.find(({ account }) => account === accountId);
      if (!document) throw notFound();
      return auditEventOf(document);
    });
  }

  /**
   * Returns the matching events in chunks, but does not wait for writes.
   * @throws Refusal when the account is unknown.
   */
  async projected(
    accountId: string,
    filter: EventFilter,
  ): Promise<AsyncIterable<readonly AuditEvent[]>> {
    const first = await this.#model.readNow(accountId, async (view) => {
      const { rows } = await readNewestPart(view, planOf(accountId, {}), undefined, 1);
      if (rows.length === 0) throw notFound();
      return readNewestPart(view, planOf(accountId, filter));
    });
    return this.list(accountId, filter).chunks(first);
  }
}

export function auditEventOf(document: EventDocument): AuditEvent {
  const { order, action, by = 'management-key', actor, user = null, name = null } = document;
  return {
    id: document.event,
    occurred_at: timeIn(order),
    action,
    actor: { type: by, id: actor, user_id: user } as Actor,
    target: { type: targetTypeOf(action), id: document.target, name },
    changes: document.changes.map(([field, before, after]) => ({ field, before, after })),
    request_id: document.request ?? null,
    trace_id: document.trace ?? null,
    log_position: document.position,
  };
}
