import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { jsonBytes, MOST_ANSWER_BYTES } from '../../../kernel/answer-size.js';
import { notFound, Refusal, Unavailable } from '../../../kernel/errors.js';
import type { Actor } from '../../../kernel/metadata.js';
import type { Read } from '../../../kernel/read.js';
import { sizeOf } from '../../../kernel/size-of.js';
import type { ReadModel } from '../../../event-sourcing/projections/read-model.js';
import { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import type { View } from '../../../event-sourcing/read-store/read-store.js';
import { type AuditEvent, targetTypeOf } from '../domain/audit-event.js';
import { positionIn, timeIn } from '../domain/order.js';
import {
  auditTrail,
  type EventDocument,
  type SecretDocument,
  USUAL_ACTOR,
} from './audit-trail.projection.js';
import { cursorAt, placeOf } from './cursor.js';
import { type EventFilter, type Plan, planOf } from './event-filter.js';
import { newestFirst } from './newest-first.js';

/** The maximum number of events in a chunk of a stream. */
const CHUNK = 250;
/** The maximum number of events in the first chunk. The size of these events limits the next chunk. */
const FIRST_CHUNK = 10;
/** The size of a slice, in bytes, roughly. Other requests then get a turn, because events may be large, and readers many. */
const SLICE_SIZE = 250_000;
/** The maximum number and rough size, in bytes, of the events that a page examines, matching or not (docs/api.md 11.3). */
const MOST_EXAMINED = 1_000;
const MOST_EXAMINED_SIZE = 2_000_000;
/** The maximum size of an answer without its events, in bytes: a cursor and the names of fields. */
const FRAME_BYTES = 1_000;
/** The maximum sizes in JSON, in bytes: of an event without its strings, and of one character. */
const EVENT_FRAME_BYTES = 1_000;
const BYTES_OF_A_CHARACTER = 6;
const NO_ACCOUNT_YET = 'the audit trail does not have the account yet';

export interface AuditPageWanted {
  readonly filter: EventFilter;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface AuditPage {
  readonly events: readonly AuditEvent[];
  /** The cursor of the next page; null when this page is the last one. */
  readonly nextCursor: string | null;
  /** Whether earlier writes may be missing, because the wait for them timed out. */
  readonly isLate: boolean;
}

/** All events that match a filter, in chunks. Each chunk is read when the consumer asks for it. */
export interface AuditStream {
  readonly chunks: AsyncIterable<readonly AuditEvent[]>;
  /** Whether earlier writes may be missing, because the wait for them timed out. */
  readonly isLate: boolean;
}

interface Slice {
  /** The examined events that match the filter. */
  readonly documents: readonly EventDocument[];
  /** The number of examined events. */
  readonly examined: number;
  /** The size of the examined events in bytes, roughly. */
  readonly size: number;
  /** The order of the last examined event. The next slice begins after this event. Null when no slice follows. */
  readonly next: string | null;
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
      const before = cursor === undefined ? undefined : scope && placeOf(cursor, scope);
      if (cursor !== undefined && before === undefined) throw brokenCursor();
      return { scope, first: await sliceOf(view, plan, before, limit) };
    });
    const { scope, first } = found;
    const { documents, size, next } = await this.#continued(accountId, plan, first, limit);
    const events = inOneAnswer(documents.map(auditEventOf), size);
    const end = events.length < documents.length ? documents[events.length - 1]?.order : next;
    const nextCursor = scope && typeof end === 'string' ? cursorAt(end, scope) : null;
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

  /** Returns all events that match a filter, in chunks. Resolves when the first chunk is read. */
  async stream(accountId: string, filter: EventFilter): Promise<AuditStream> {
    const plan = planOf(accountId, filter);
    const { found, isLate } = await this.#model.read(accountId, (view) =>
      sliceOf(view, plan, undefined, FIRST_CHUNK),
    );
    return { chunks: this.#chunks(accountId, plan, found), isLate };
  }

  /** Returns the matching events in chunks, but does not wait for writes. @throws Refusal when the account is unknown. */
  async projected(
    accountId: string,
    filter: EventFilter,
  ): Promise<AsyncIterable<readonly AuditEvent[]>> {
    const plan = planOf(accountId, filter);
    const first = await this.#model.projected(accountId, async (view) => {
      if (!(await view.get('accounts', accountId))) throw notFound();
      return sliceOf(view, plan, undefined, FIRST_CHUNK);
    });
    return this.#chunks(accountId, plan, first);
  }

  /** Reads slices after `first` until the page is full or has reached its limits. Returns all slices as one slice. */
  async #continued(accountId: string, plan: Plan, first: Slice, limit: number): Promise<Slice> {
    let all = first;
    while (all.next !== null && all.documents.length < limit && mayGoOn(all)) {
      await nextTurn();
      const { documents, next: before, examined, size } = all;
      const left = { matching: limit - documents.length, examined: MOST_EXAMINED - examined };
      const more = await this.#model.projected(accountId, (view) =>
        sliceOf(view, plan, before, left.matching, left.examined),
      );
      all = {
        documents: [...documents, ...more.documents],
        examined: examined + more.examined,
        size: size + more.size,
        next: more.next,
      };
    }
    return all;
  }

  #chunks(accountId: string, plan: Plan, first: Slice): AsyncGenerator<readonly AuditEvent[]> {
    // Each chunk is read from a state of its own, because a slow reader must not hold a state of the store for long.
    const read = (limit: number, before: string): Promise<Slice> =>
      this.#model.projected(accountId, (view) => sliceOf(view, plan, before, limit));
    return (async function* () {
      let slice = first;
      for (;;) {
        const { documents, next } = slice;
        // An empty chunk is delivered too, so that a reader who has left is noticed.
        yield documents.map(auditEventOf);
        if (next === null) return;
        slice = await read(nextLimit(slice), next);
        // Other requests get a turn here, because a fast reader of an embedded store could otherwise block them.
        // The turn comes after the read: a reader who left during a turn before the read would cause a useless read.
        await nextTurn();
      }
    })();
  }
}

/** Returns how many events the next slice may have, if they are as large as the events of this slice. */
function nextLimit({ examined, size }: Slice): number {
  if (size === 0) return CHUNK;
  const fitting = Math.floor((SLICE_SIZE * examined) / size);
  return Math.min(Math.max(fitting, 1), CHUNK);
}

function mayGoOn({ examined, size }: Slice): boolean {
  return examined < MOST_EXAMINED && size < MOST_EXAMINED_SIZE;
}

/**
 * Reads the matching events that are older than the order `before`. Stops after about `SLICE_SIZE` bytes, so that other
 * requests get a turn.
 * @param limit the maximum number of events that match.
 * @param most the maximum number of events to examine.
 */
async function sliceOf(
  view: View,
  plan: Plan,
  before: string | null | undefined,
  limit: number,
  most = MOST_EXAMINED,
): Promise<Slice> {
  const documents: EventDocument[] = [];
  let examined = 0;
  let size = 0;
  let last: string | null = null;
  for await (const document of newestFirst(view, plan, before ?? undefined, limit + 1)) {
    const matches = plan.matches?.(document) ?? true;
    const isFull =
      examined === most || size > SLICE_SIZE || (matches && documents.length === limit);
    if (last !== null && isFull) return { documents, examined, size, next: last };
    if (matches) documents.push(document);
    examined += 1;
    size += sizeOf(document);
    last = document.order;
  }
  return { documents, examined, size, next: null };
}

/**
 * Returns as many of the events, from the first on, as fit in one answer. One event alone always fits.
 * @param size at least the rough size of the events, in bytes.
 */
function inOneAnswer(events: readonly AuditEvent[], size: number): readonly AuditEvent[] {
  let left = MOST_ANSWER_BYTES - FRAME_BYTES;
  if (events.length * EVENT_FRAME_BYTES + size * BYTES_OF_A_CHARACTER < left) return events;
  const beyond = events.findIndex((event) => {
    left -= jsonBytes(event) + 1;
    return left < 0;
  });
  return beyond < 1 ? events : events.slice(0, beyond);
}

function auditEventOf(document: EventDocument): AuditEvent {
  const { order, action, by = USUAL_ACTOR, actor, user = null, name = null } = document;
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

function brokenCursor(): Refusal {
  return new Refusal('request-invalid', {
    issues: [
      {
        path: 'cursor',
        message: 'must be the next_cursor of an earlier page with the same filter',
      },
    ],
  });
}
