import { Controller, Get, Inject, Param, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../http/caller.js';
import { INCLUDES_EARLIER_WRITES, recordAnswer } from '../../http/described-answers.js';
import { undecodable, withHeaders } from '../../http/described-refusals.js';
import { markStale } from '../../http/stale.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import { notFound } from '../../kernel/errors.js';
import { isKeyHash } from '../../key-strings/key-string.js';
import { HASH_IN_PATH } from '../key.openapi.js';
import { describedKey, type KeyRecord, presentKey } from '../key-record.js';
import { ReadKey } from './read-key.query.js';

@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class ReadKeyController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get(':hash')
  @DescribeOperation({
    tag: 'Keys',
    id: 'readKey',
    summary: 'Read an API key',
    description: `Finds disabled and expired keys too. ${INCLUDES_EARLIER_WRITES}`,
    path: HASH_IN_PATH,
    success: recordAnswer(describedKey, 'The key as it is now.', { headers: ['Keyledger-Stale'] }),
    refusals: [undecodable('hash'), withHeaders('not-found', 'Keyledger-Stale')],
  })
  async read(
    @Param('hash') hash: string,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: KeyRecord }> {
    if (!isKeyHash(hash)) throw notFound();
    const { found, isLate } = await this.queries.execute(new ReadKey(caller, hash));
    markStale(response, isLate);
    return { data: presentKey(found, this.clock.now()) };
  }
}
