import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { jsonBytes, MOST_ANSWER_BYTES } from '../../../kernel/answer-size.js';
import { notFound, Refusal, Unavailable } from '../../../kernel/errors.js';
import type { Actor } from '../../../kernel/metadata.js';
import type { Read } from '../../../kernel/read.js';
import { sizeOf } from '../../../kernel/size-of.js';
import type { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import { type AuditEvent, targetTypeOf } from '../domain/audit-event.js';
import { positionIn, timeIn } from '../domain/order.js';
import { auditTrail, type EventDocument, type SecretDocument } from './audit-trail.projection.js';
import { cursorAt, type CursorScope, placeOf } from './cursor.js';
import { type EventFilter, type Plan, planOf } from './event-filter.js';
import { type Part, partOf } from './newest-first.js';

/** The maximum number of events that a page examines, matching or not (docs/api.md 11.3). */
const MOST_EXAMINED = 1_000;
/** The maximum size of an answer without its events, in bytes: a cursor and the names of fields. */
const FRAME_BYTES = 1_000;
const NO_ACCOUNT_YET = 'the audit trail does not have the account yet';
const WRONG_CURSOR = 'must be the next_cursor of an earlier page with the same filter';

export interface AuditPageWanted {
  readonly filter: EventFilter;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** Null when this page is the last one. */
  readonly nextCursor: string | null;
  readonly isLate: boolean;
}

/** The queries of the audit trail, newest event first. A query waits, with a time-out, for all writes answered earlier. */
@Injectable()
export class AuditDirectory {
  readonly #model: ReadModel;

  constructor(models: ReadModels) {
    this.#model = models.of(auditTrail);
  }

  /**
   * @throws Refusal when no earlier page with the same filter returned the cursor.
   * @throws Unavailable when the cursor cannot be checked, because the read model does not have the account yet.
   */
  async page(accountId: string, { filter, limit, cursor }: AuditPageWanted): Promise<AuditPage> {
    const plan = planOf(accountId, filter);
    const { found, isLate } = await this.#model.read(accountId, async (view) => {
      const account = await view.get<SecretDocument>('accounts', accountId);
      const scope = account && { accountId, filter, secret: account.secret };
      if (cursor !== undefined && !scope) throw new Unavailable('read store', NO_ACCOUNT_YET);
      const before = cursor !== undefined && scope ? boundIn(cursor, scope) : plan.before;
      // One event more than the page has shows whether another page follows.
      return { scope, first: await partOf(view, plan, before, limit + 1) };
    });
    const { scope, first } = found;
    const { events, end } = await pageOf(this.#parts(accountId, plan, first), plan, limit);
    const nextCursor = scope && end !== null ? cursorAt(end, scope) : null;
    return { events, nextCursor, isLate };
  }

  /** @throws Refusal when the account has no such event. */
  event(accountId: string, id: string): Promise<Read<AuditEvent>> {
    return this.#model.read(accountId, async (view) => {
      const { documents } = await view.range<EventDocument>('events', {
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
      if (!(await view.get('accounts', accountId))) throw notFound();
      return partOf(view, plan);
    });
    return this.#chunks(accountId, plan, first);
  }

  async *#chunks(accountId: string, plan: Plan, first: Part) {
    for await (const documents of this.#parts(accountId, plan, first)) {
      // An empty chunk is delivered too, so that a reader who has left is noticed.
      yield documents.filter(plan.matches).map(auditEventOf);
    }
  }

  /** Yields the events of the first part, and of each further part when the consumer asks for it. */
  async *#parts(accountId: string, plan: Plan, first: Part) {
    let part = first;
    for (;;) {
      yield part.events;
      const { next } = part;
      if (next === null) return;
      // Each part is read from a state of its own, because a slow reader must not hold a state of the store for long.
      part = await this.#model.projected(accountId, (view) => partOf(view, plan, next));
      // Other requests get a turn here, because a fast reader of an embedded store could otherwise block them.
      // The turn comes after the read: a reader who left during a turn before the read would cause a useless read.
      await nextTurn();
    }
  }
}

/** Takes events until a page is full or has reached its limits. `end` is the order of the last event before the next page. */
async function pageOf(
  parts: AsyncIterable<readonly EventDocument[]>,
  { matches }: Plan,
  limit: number,
): Promise<{ events: readonly AuditEvent[]; end: string | null }> {
  const events: AuditEvent[] = [];
  let end: string | null = null;
  let examined = 0;
  let bytesLeft = MOST_ANSWER_BYTES - FRAME_BYTES;
  for await (const documents of parts) {
    for (const document of documents) {
      const event = matches(document) ? auditEventOf(document) : null;
      bytesLeft -= event ? jsonBytes(event) + 1 : sizeOf(document);
      const isFull =
        examined === MOST_EXAMINED || bytesLeft < 0 || (event && events.length === limit);
      // One event alone always fits, so that each page has a next one.
      if (isFull && end !== null) return { events, end };
      if (event) events.push(event);
      examined += 1;
      end = document.order;
    }
  }
  return { events, end: null };
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

/** Returns the order before which the page of a cursor begins. @throws Refusal when the cursor is not of the scope. */
function boundIn(cursor: string, scope: CursorScope): string {
  const place = placeOf(cursor, scope);
  if (place !== undefined) return place;
  throw new Refusal('request-invalid', { issues: [{ path: 'cursor', message: WRONG_CURSOR }] });
}
