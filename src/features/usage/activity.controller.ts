import { Controller, Get, Header, Inject, Req, Res, UseInterceptors } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type express from 'express';
import { sendPageOrStream } from '../../edge/http/answers/page-or-stream.js';
import { sealCursor, unsealCursor } from '../../edge/http/answers/sealed-cursor.js';
import { type Caller, CurrentCaller } from '../../edge/http/callers/caller.js';
import { ListQuery } from '../../edge/http/fields/list-query.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { StreamLimitInterceptor } from '../../edge/rate-limits/stream-limit.interceptor.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { ActivityDirectory } from './activity-directory/activity-directory.js';
import { type Asked, askedOf } from './activity-directory/activity-filter.js';
import { ActivityRecord, ListActivityRequest, presentActivity } from './activity.fields.js';

const LISTED =
  'Without parameters, only the last 30 days are listed; `from` and `to` select others.';

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
    'List the usage of the account by day, newest first',
    answer.list(ActivityRecord, { next_cursor: answer.NEXT_CURSOR }),
  )
  @Refuses(['too-many-streams', 'http-version-unsupported'], `${LISTED} ${answer.STREAMED}`)
  async list(
    @ListQuery(ListActivityRequest) query: ListActivityRequest,
    @CurrentCaller() caller: Caller,
    @Req() request: express.Request,
    @Res() response: express.Response,
  ): Promise<void> {
    const scope = { list: 'activity', caller } as const;
    const before =
      query.cursor === undefined
        ? undefined
        : (JSON.parse(unsealCursor(query.cursor, scope)) as Asked);
    const asked = askedOf(query, before, this.clock.now());
    const { filter } = asked;
    const list = this.directory.list(caller.accountId, filter, (row) =>
      presentActivity(row, filter),
    );
    await sendPageOrStream(request, response, {
      page: () => list.page(Number(query.limit), asked.after),
      stream: () => list.stream(),
      cursorAt: (after) => sealCursor(JSON.stringify({ filter, after } satisfies Asked), scope),
    });
  }
}
