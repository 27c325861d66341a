import { Controller, type ExecutionContext, Get, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type express from 'express';
import { StaleInterceptor } from '../../edge/http/answers/stale.interceptor.js';
import { type Caller, CurrentCaller, CurrentContext } from '../../edge/http/callers/caller.js';
import { KeyGuard } from '../../edge/http/callers/key.guard.js';
import { ListQuery } from '../../edge/http/fields/list-query.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import type { Read } from '../../kernel/read.js';
import { EventFeed, type FeedPage } from './audit-directory/event-feed.js';
import { AuditEventRecord, eventFilterOf, ReadEventsRequest } from './audit-event.fields.js';
import type { AuditEvent } from './domain/audit-event.js';
import { feedCursorOf, LATEST, sealFeedCursor } from './feed-cursor.js';
import { WaitingReaders } from './waiting-readers.js';

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
@UseInterceptors(StaleInterceptor)
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
    const { filters, after } = feedCursorOf(query, caller);
    const answerOf = ({ records: data, next, end }: FeedPage): FeedAnswer => ({
      data,
      next_cursor: sealFeedCursor({ filters, after: end ?? after }, caller),
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
