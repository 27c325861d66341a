import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { INCLUDES_EARLIER_WRITES, recordAnswer } from '../../http/described-answers.js';
import { fieldRefusal, withHeaders } from '../../http/described-refusals.js';
import { TRACKING_STRING_RULE } from '../../http/field-rules.js';
import { markStale } from '../../http/stale.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { describedEndUser, type EndUserRecord, presentEndUser } from '../end-user-record.js';
import { addressed, EndUserPath, organizationOf } from '../end-user-routes.js';
import { ReadEndUser } from './read-end-user.query.js';

@Controller('v1/end-users')
@UseGuards(ManagementKeyGuard)
export class ReadEndUserController {
  constructor(@Inject(QueryBus) private readonly queries: QueryBus) {}

  @Get(':user')
  @DescribeOperation({
    tag: 'End users',
    id: 'readEndUser',
    summary: 'Read an end user',
    description: `Finds inactive end users too. ${INCLUDES_EARLIER_WRITES}`,
    success: recordAnswer(describedEndUser, 'The end user.', { headers: ['Keyledger-Stale'] }),
    refusals: [
      fieldRefusal('request-invalid', 'user', TRACKING_STRING_RULE),
      'organization-required',
      withHeaders('not-found', 'Keyledger-Stale'),
    ],
  })
  async read(
    @Param(new ShapePipe(EndUserPath)) path: EndUserPath,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: EndUserRecord }> {
    const query = new ReadEndUser(organizationOf(caller), addressed(path));
    const { found, isLate } = await this.queries.execute(query);
    markStale(response, isLate);
    return { data: presentEndUser(found) };
  }
}
