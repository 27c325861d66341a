import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { notFound, Refusal, Unavailable } from '../../kernel/errors.js';
import type { Actor } from '../../kernel/metadata.js';
import type { Position } from '../../kernel/position.js';
import { sizeOf } from '../../kernel/size-of.js';
import { ReadYourWrites } from '../../projections/read-your-writes.js';
import {
  READ_STORE,
  type ReadModel,
  type ReadStore,
  type ReadView,
} from '../../read-store/read-store.js';
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
/** Bytes of a chunk, roughly: events may be large, and readers many. */
const CHUNK_SIZE = 500_000;
/** Events looked at for one page, of which none may match (docs/api.md 11.3). */
const MOST_EXAMINED = 1_000;
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
  readonly documents: readonly EventDocument[];
  /** Of all of them, roughly, in bytes. */
  readonly size: number;
  /** The order behind which the next slice begins; null when there is none. */
  readonly next: string | null;
}

/** Reads of the audit trail, newest events first; each sees every write that was answered before it. */
@Injectable()
export class AuditDirectory {
  readonly #model: ReadModel;

  constructor(
    @Inject(READ_STORE) store: ReadStore,
    @Inject(ReadYourWrites) private readonly readYourWrites: ReadYourWrites,
  ) {
    this.#model = store.readModel(auditTrail);
  }

  /**
   * @throws Refusal when the cursor is not one that an earlier page of the same filter gave; Unavailable when that
   * cannot be said, as the trail is too far behind.
   */
  async page(accountId: string, { filter, limit, cursor }: AuditPageWanted): Promise<AuditPage> {
    const position = await this.readYourWrites.settled(auditTrail.name);
    return this.#model.snapshot(async (view) => {
      const account = await view.get<SecretDocument>('accounts', accountId);
      const scope = account && { accountId, filter, secret: account.document.secret };
      if (cursor !== undefined && !scope) throw new Unavailable('read store', NO_ACCOUNT_YET);
      const before = cursor === undefined ? undefined : scope && placeOf(cursor, scope);
      if (cursor !== undefined && before === undefined) throw brokenCursor();
      const { documents, next } = await sliceOf(view, planOf(accountId, filter), before, limit);
      const nextCursor = scope && next !== null ? cursorAt(next, scope) : null;
      return { events: documents.map(told), nextCursor, position };
    });
  }

  /** @throws Refusal when the account has no such event. */
  async event(accountId: string, id: string): Promise<{ event: AuditEvent; position: Position }> {
    const position = await this.readYourWrites.settled(auditTrail.name);
    const kept = await this.#model.get<EventDocument>('events', id);
    if (kept?.document.account !== accountId) throw notFound(position);
    return { event: told(kept.document), position };
  }

  /** The first events have been read when it resolves. */
  async stream(accountId: string, filter: EventFilter): Promise<AuditStream> {
    const position = await this.readYourWrites.settled(auditTrail.name);
    return { chunks: await this.#chunks(planOf(accountId, filter)), position };
  }

  /** As `stream`, of what is projected already. @throws Refusal when there is no such account. */
  async projected(
    accountId: string,
    filter: EventFilter,
  ): Promise<AsyncIterable<readonly AuditEvent[]>> {
    if (!(await this.#model.get('accounts', accountId))) throw notFound();
    return this.#chunks(planOf(accountId, filter));
  }

  async #chunks(plan: Plan): Promise<AsyncGenerator<readonly AuditEvent[]>> {
    // A snapshot for each, as one must not be held for as long as a slow reader takes.
    const read = (limit: number, before?: string): Promise<Slice> =>
      this.#model.snapshot((view) => sliceOf(view, plan, before, limit, CHUNK_SIZE));
    const first = await read(FIRST_CHUNK);
    return (async function* () {
      let slice = first;
      for (;;) {
        const { documents, next } = slice;
        if (documents.length > 0) yield documents.map(told);
        if (next === null) return;
        // Neither a store in this process nor a reader who takes all at once need let others have a turn.
        await nextTurn();
        slice = await read(nextLimit(slice), next);
      }
    })();
  }
}

/** How many events to read after a slice, if they are as large as those in it. */
function nextLimit({ documents, size }: Slice): number {
  if (size === 0) return CHUNK;
  const fitting = Math.floor((CHUNK_SIZE * documents.length) / size);
  return Math.min(Math.max(fitting, 1), CHUNK);
}

/** @param most bytes of documents, roughly, after which it ends, though it may not have as many as the limit allows. */
async function sliceOf(
  view: ReadView,
  plan: Plan,
  before: string | undefined,
  limit: number,
  most = Infinity,
): Promise<Slice> {
  const documents: EventDocument[] = [];
  let examined = 0;
  let size = 0;
  for await (const document of newestFirst(view, plan, before, limit + 1)) {
    if (plan.matches?.(document) ?? true) {
      const last = documents.at(-1);
      if (last && (documents.length === limit || size > most)) {
        return { documents, size, next: last.order };
      }
      documents.push(document);
      size += sizeOf(document);
    }
    examined += 1;
    if (plan.matches && examined === MOST_EXAMINED)
      return { documents, size, next: document.order };
  }
  return { documents, size, next: null };
}

function told(document: EventDocument): AuditEvent {
  const { id, order, action, by = USUAL_ACTOR, actor, user = null, name = null } = document;
  return {
    id,
    occurred_at: timeIn(order),
    action,
    actor: { type: by, id: actor, user_id: user } as Actor,
    target: { type: targetTypeOf(action), id: document.target, name },
    changes: document.changes.map(([field, before, after]) => ({ field, before, after })),
    request_id: document.request ?? null,
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
