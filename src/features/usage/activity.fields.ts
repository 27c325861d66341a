import { ApiSchema } from '@nestjs/swagger';
import {
  KeyHash,
  OpenChoice,
  Shown,
  Text,
  TrackingString,
  UtcDate,
  TEXT_OR_NULL,
  UUID_OR_NULL,
  WorkspaceOrAll,
} from '../../edge/http/fields/field-decorators.js';
import { IntegerParameter, Parameter } from '../../edge/http/fields/query-decorators.js';
import { numberUsd } from '../../kernel/usd.js';
import type { ActivityRow } from './activity-directory/activity.projection.js';
import {
  type ActivityFilter,
  GROUPS,
  LONGEST_CURSOR,
} from './activity-directory/activity-filter.js';

/** A row of the activity as callers see it (docs/api.md 14). */
@ApiSchema({ name: 'Activity' })
export class ActivityRecord {
  @Shown('Day of the use, in UTC.', { type: String, format: 'date' })
  readonly date!: string;

  @Shown(
    'Key that was used; null unless `group_by=key`, and for usage of hashes that are not keys of the account.',
    TEXT_OR_NULL,
  )
  readonly api_key_hash!: string | null;

  @Shown(
    'Tracking ID of the end user for whom the use counted; null unless `group_by=user`, and for use without a row of its own.',
    TEXT_OR_NULL,
  )
  readonly user!: string | null;

  @Shown(
    'Workspace of the key when its use was reported; null without a key, and unless `group_by=key` or `group_by=workspace`.',
    UUID_OR_NULL,
  )
  readonly workspace_id!: string | null;

  @Shown('Usage in USD.', { type: Number })
  readonly usage!: number;

  @Shown('BYOK usage in USD.', { type: Number })
  readonly byok_usage!: number;

  @Shown('Number of requests.', { type: 'integer' })
  readonly requests!: number;
}

export function presentActivity(row: ActivityRow, { group_by }: ActivityFilter): ActivityRecord {
  const { date, api_key_hash = null, user = null, workspace_id = null } = row;
  return {
    date,
    api_key_hash,
    user,
    workspace_id: group_by === 'day' ? null : workspace_id,
    usage: numberUsd(BigInt(row.usage)),
    byok_usage: numberUsd(BigInt(row.byok_usage)),
    requests: Number(row.requests),
  };
}

export class ListActivityRequest {
  @Parameter(UtcDate('The first day; if absent, 29 days before `to`.'))
  readonly from?: string;

  @Parameter(UtcDate('The last day; if absent, today.'))
  readonly to?: string;

  @Parameter(
    OpenChoice(
      'Whether rows are by key and workspace, by user, by workspace, or by day alone; if absent, `key`.',
      GROUPS,
    ),
  )
  readonly group_by?: ActivityFilter['group_by'];

  @Parameter(KeyHash('Only rows of this key; needs `group_by=key`.'))
  readonly api_key_hash?: string;

  @Parameter(
    WorkspaceOrAll(
      'Only usage in this workspace; not with `group_by=user`. If `all` or absent, in every workspace.',
    ),
  )
  readonly workspace_id?: string;

  @Parameter(TrackingString('Only rows of this end user; needs `group_by=user`.'))
  readonly user?: string;

  @IntegerParameter('The maximum number of rows to return.', { min: 1, max: 1_000, default: 100 })
  readonly limit = '100';

  @Parameter(Text('The `next_cursor` of an earlier page.', { max: LONGEST_CURSOR }))
  readonly cursor?: string;
}
