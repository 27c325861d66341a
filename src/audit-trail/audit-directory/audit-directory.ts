import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { jsonBytes, MOST_ANSWER_BYTES } from '../../kernel/answer-size.js';
import { notFound, Refusal, Unavailable } from '../../kernel/errors.js';
import type { Actor } from '../../kernel/metadata.js';
import type { Position } from '../../kernel/position.js';
import { sizeOf } from '../../kernel/size-of.js';
import { type ReadModel, ReadModels } from '../../projections/read-model.js';
import type { View } from '../../read-store/read-store.js';
import type { AuditEvent } from '../domain/audit-event.js';
import { targetTypeOf } from '../domain/description.js';
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

/** Events read at a time where all that match are wanted, a few at first and then as many as those let expect. */
const CHUNK = 250;
const FIRST_CHUNK = 10;
/** Bytes of events, roughly, that are looked at until others have a turn: events may be large, and readers many. */
const SLICE_SIZE = 250_000;
/** Events looked at for one page, of which none may match, and their bytes, roughly (docs/api.md 11.3). */
const MOST_EXAMINED = 1_000;
const MOST_EXAMINED_SIZE = 2_000_000;
/** Of an answer, besides its events: a cursor and names of fields. */
const FRAME_BYTES = 1_000;
/** The same of an event, besides its texts, and what JSON makes of a character at most. */
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
  /** Null when this page is the last one. */
  readonly nextCursor: string | null;
  /** The log position that the page reflects at least. */
  readonly position: Position;
}

/** All events that match, in chunks that are read as they are taken. */
export interface AuditStream {
  readonly chunks: AsyncIterable<readonly AuditEvent[]>;
  /** As of a page. */
  readonly position: Position;
}

interface Slice {
  /** Those that match. */
  readonly documents: readonly EventDocument[];
  /** How many were looked at. */
  readonly examined: number;
  /** The bytes of those, roughly. */
  readonly size: number;
  /** The order behind which the next slice begins; null when there is none. */
  readonly next: string | null;
}

/** Reads of the audit trail, newest events first; each sees every write that was answered before it. */
@Injectable()
export class AuditDirectory {
  readonly #model: ReadModel;

  constructor(@Inject(ReadModels) models: ReadModels) {
    this.#model = models.of(auditTrail);
  }

  /**
   * @throws Refusal when the cursor is not one that an earlier page of the same filter gave; Unavailable when that
   * cannot be said, as the trail is too far behind.
   */
  async page(accountId: string, { filter, limit, cursor }: AuditPageWanted): Promise<AuditPage> {
    const plan = planOf(accountId, filter);
    const { found, position } = await this.#model.read(accountId, async (view) => {
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
    return { events, nextCursor, position };
  }

  /** @throws Refusal when the account has no such event. */
  async event(accountId: string, id: string): Promise<{ event: AuditEvent; position: Position }> {
    const { found, position } = await this.#model.read(accountId, (view) =>
      view.range<EventDocument>('events', {
        index: 'by_id',
        equals: { event: id, account: accountId },
        limit: 1,
      }),
    );
    const [document] = found.documents;
    if (!document) throw notFound(position);
    return { event: auditEventOf(document), position };
  }

  /** The first events have been read when it resolves. */
  async stream(accountId: string, filter: EventFilter): Promise<AuditStream> {
    const plan = planOf(accountId, filter);
    const { found, position } = await this.#model.read(accountId, (view) =>
      sliceOf(view, plan, undefined, FIRST_CHUNK),
    );
    return { chunks: this.#chunks(accountId, plan, found), position };
  }

  /** As `stream`, of what is projected already. @throws Refusal when there is no such account. */
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

  /** A slice and those behind it, until they have what is wanted, or enough was looked at for a page. */
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
    // A state for each, as one must not be held for as long as a slow reader takes.
    const read = (limit: number, before: string): Promise<Slice> =>
      this.#model.projected(accountId, (view) => sliceOf(view, plan, before, limit));
    return (async function* () {
      let slice = first;
      for (;;) {
        const { documents, next } = slice;
        // Also when none matched, so that a reader who has left is noticed.
        yield documents.map(auditEventOf);
        if (next === null) return;
        slice = await read(nextLimit(slice), next);
        // Neither a store in this process nor a reader who takes all at once need let others have a turn.
        // Before the read a reader might leave meanwhile.
        await nextTurn();
      }
    })();
  }
}

/** How many events to read after a slice, if they are as large as those in it. */
function nextLimit({ examined, size }: Slice): number {
  if (size === 0) return CHUNK;
  const fitting = Math.floor((SLICE_SIZE * examined) / size);
  return Math.min(Math.max(fitting, 1), CHUNK);
}

function mayGoOn({ examined, size }: Slice): boolean {
  return examined < MOST_EXAMINED && size < MOST_EXAMINED_SIZE;
}

/**
 * What matches of the events behind an order, of which so many bytes are looked at as others can wait for.
 * @param limit how many may match.
 * @param most how many are looked at.
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

/** As many of them, from the first on, as one answer may have; one alone is never too much. @param size theirs at least, roughly. */
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
