import { Controller, Get, Inject, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { type Caller, CurrentCaller } from '../../../edge/http/callers/caller.js';
import { Text, TrackingString } from '../../../edge/http/fields/field-decorators.js';
import { comparedWith } from '../../../edge/http/fields/field-rules.js';
import { ListQuery } from '../../../edge/http/fields/list-query.js';
import { markStale } from '../../../edge/http/answers/stale.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { Operation, page } from '../../../edge/http/openapi/operation.js';
import { LimitParameter, OffsetParameter, pagingOf } from '../../../edge/http/fields/paging.js';
import { FlagParameter, Parameter } from '../../../edge/http/fields/query-decorators.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { KeyShape, type KeyRecord, presentKey } from '../key-record.js';
import { WORKSPACE_ID } from '../key.fields.js';
import type { KeyFilter } from '../key-directory/key-directory.projection.js';
import { ListKeys } from './list-keys.query.js';

const DEFAULT_LIMIT = 100;

/** The query of `GET /v1/keys` (docs/api.md 3.7), as strings. */
class ListKeysRequest {
  @OffsetParameter()
  readonly offset?: string;

  @LimitParameter(DEFAULT_LIMIT)
  readonly limit?: string;

  @FlagParameter('Whether disabled keys are listed and counted too.')
  readonly include_disabled?: string;

  @Parameter(
    Text(
      'Only keys in this workspace, or `all` for every workspace of the account; the default workspace when absent, unless another filter is given.',
      WORKSPACE_ID,
    ),
  )
  readonly workspace_id?: string;

  @Parameter(
    Text('Only keys of exactly this creator; not together with external_user.'),
    comparedWith(
      'external_user',
      'must not be given together with external_user',
      (_, other) => other === undefined,
    ),
  )
  readonly creator_user_id?: string;

  @Parameter(TrackingString('Only keys of the external user with exactly this tracking string.'))
  readonly external_user?: string;
}

@ApiTags('Keys')
@Controller('v1/keys')
@UseGuards(ManagementKeyGuard)
export class ListKeysController {
  constructor(
    @Inject(QueryBus) private readonly queries: QueryBus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get()
  @Operation('listKeys', 'List API keys, newest first', page(KeyShape))
  async list(
    @ListQuery(ListKeysRequest) query: ListKeysRequest,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) response: Response,
  ): Promise<{ data: KeyRecord[]; total_count: number }> {
    const { keys, total, isLate } = await this.queries.execute(
      new ListKeys(caller, {
        includeDisabled: query.include_disabled === 'true',
        workspaceId: query.workspace_id,
        filter: filterOf(query),
        ...pagingOf(query, DEFAULT_LIMIT),
      }),
    );
    markStale(response, isLate);
    const now = this.clock.now();
    return { data: keys.map((key) => presentKey(key, now)), total_count: total };
  }
}

function filterOf({ creator_user_id, external_user }: ListKeysRequest): KeyFilter | undefined {
  if (creator_user_id !== undefined) return { field: 'creator_user_id', value: creator_user_id };
  if (external_user !== undefined) return { field: 'external_user', value: external_user };
  return undefined;
}
