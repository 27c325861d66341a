import { Controller, Get, Header, Inject, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { prefersNdjson, sendNdjson } from '../../edge/http/answers/ndjson.js';
import { markStale } from '../../edge/http/answers/stale.js';
import { type Caller, CurrentCaller } from '../../edge/http/callers/caller.js';
import { ListQuery } from '../../edge/http/fields/list-query.js';
import { Operation, pageOrStream } from '../../edge/http/openapi/operation.js';
import { StreamLimitInterceptor } from '../../edge/rate-limits/stream-limit.interceptor.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { ActivityDirectory } from './activity-directory/activity-directory.js';
import { cursorText } from './activity-directory/cursor.js';
import { ActivityRecord, askedOf, ListActivityRequest } from './activity.fields.js';

/** The activity (docs/api.md 14). */
@ApiTags('Usage')
@Controller('v1/activity')
export class ActivityController {
  constructor(
    private readonly directory: ActivityDirectory,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Header('Vary', 'Accept')
  @UseInterceptors(StreamLimitInterceptor)
  @Operation(
    'listActivity',
    'List what was used in the account, by day, newest first',
    pageOrStream(ActivityRecord),
  )
  async list(
    @ListQuery(ListActivityRequest) query: ListActivityRequest,
    @CurrentCaller() { accountId }: Caller,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const asked = askedOf(query, accountId, this.clock.now());
    const { filter } = asked;
    if (prefersNdjson(request)) {
      const all = await this.directory.stream(accountId, filter);
      return sendNdjson(request, response, all);
    }
    const { found, isLate } = await this.directory.page(accountId, asked, Number(query.limit));
    markStale(response, isLate);
    const { rows, next } = found;
    const next_cursor =
      next === null ? null : cursorText({ account_id: accountId, after: next, filter });
    response.json({ data: rows, next_cursor });
  }
}
