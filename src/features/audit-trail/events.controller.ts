import { isDeepStrictEqual } from 'node:util';
import { Controller, type ExecutionContext, Get, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type express from 'express';
import { type CursorScope, placeIn, sealCursor } from '../../edge/http/answers/sealed-cursor.js';
import { type Caller, CurrentCaller, CurrentContext } from '../../edge/http/callers/caller.js';
import { KeyGuard } from '../../edge/http/callers/key.guard.js';
import { ListQuery } from '../../edge/http/fields/list-query.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { Refusal } from '../../kernel/errors.js';
import type { Read } from '../../kernel/read.js';
import { BEGINNING, EventFeed, type FeedPage } from './audit-directory/event-feed.js';
import {
  actionsIn,
  AuditEventRecord,
  type EventChoice,
  eventFilterOf,
  ReadEventsRequest,
} from './audit-event.fields.js';
import type { AuditEvent } from './domain/audit-event.js';
import { WaitingReaders } from './waiting-readers.js';

/** The value of `after` for the last event. It is too short for a cursor. */
const LATEST = 'latest';

const FILTERS = ['action', 'actor', 'target_type', 'target_id'] as const;
const DIFFERS = 'must be that of the cursor, or be left out';

const BESIDE = {
  next_cursor: {
    type: 'string',
    description: 'Cursor for `after`, behind everything that the answer examined.',
  },
  has_more: {
    type: 'boolean',
    description: 'Whether there may be more events at once. False after the last one.',
  },
};

interface FeedAnswer {
  readonly data: readonly AuditEvent[];
  readonly next_cursor: string;
  readonly has_more: boolean;
}

/** The feed (docs/api.md 11.6). */
@ApiTags('Audit trail')
@Controller('v1/events')
export class EventsController {
  constructor(
    private readonly feed: EventFeed,
    private readonly readers: WaitingReaders,
    private readonly guard: KeyGuard,
  ) {}

  @Get()
  @Operation(
    'readEvents',
    'List the events of the account, oldest first, and wait for the next',
    answer.list(AuditEventRecord, BESIDE),
  )
  @Refuses(['cursor-unknown', 'too-many-streams'])
  async read(
    @ListQuery(ReadEventsRequest) query: ReadEventsRequest,
    @CurrentCaller() caller: Caller,
    @CurrentContext() context: ExecutionContext,
    @Req() request: express.Request,
    @Res({ passthrough: true }) response: express.Response,
  ): Promise<Read<FeedAnswer>> {
    const { accountId } = caller;
    const { filters, after } = cursorOf(query, caller);
    const answerOf = ({ records: data, next, end }: FeedPage): FeedAnswer => ({
      data,
      next_cursor: sealCursor(JSON.stringify({ filters, after: end ?? after }), scopeOf(caller)),
      has_more: next !== null,
    });
    if (query.after === LATEST) {
      const { found: end, isLate } = await this.feed.latest(accountId);
      return { found: answerOf({ records: [], next: null, end }), isLate };
    }
    const question = {
      accountId,
      filter: eventFilterOf(filters),
      limit: Number(query.limit),
      after,
    };
    const { found, isLate } = await this.readers.page(question, {
      ms: Number(query.wait) * 1_000,
      response,
      // A request that waits holds no slot of the account, and its key may be revoked meanwhile.
      begin: () => request.releaseSlot?.(),
      end: () => this.guard.canActivate(context),
    });
    return { found: answerOf(found), isLate };
  }
}

/** The filters of a reader, and the place that the reader has reached. */
interface FeedCursor {
  readonly filters: EventChoice;
  readonly after: string;
}

function scopeOf(caller: Caller): CursorScope {
  return { list: 'events', caller };
}

/**
 * Returns the cursor that a query continues, or the filters of the query at the beginning.
 * @throws Refusal when the service made no such cursor for the account, or for other filters.
 */
function cursorOf(query: ReadEventsRequest, caller: Caller): FeedCursor {
  const { action, actor, target_type, target_id } = query;
  const filters = { action: actionsIn(action), actor, target_type, target_id };
  if (query.after === undefined || query.after === LATEST) return { filters, after: BEGINNING };
  const place = placeIn(query.after, scopeOf(caller));
  if (place === undefined) throw new Refusal('cursor-unknown');
  const cursor = JSON.parse(place) as FeedCursor;
  const issues = FILTERS.filter(
    (name) =>
      filters[name] !== undefined && !isDeepStrictEqual(filters[name], cursor.filters[name]),
  ).map((path) => ({ path, message: DIFFERS }));
  if (issues.length > 0) throw new Refusal('request-invalid', { issues });
  return cursor;
}
