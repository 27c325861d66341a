import { ApiSchema } from '@nestjs/swagger';
import {
  ALL_WORKSPACES,
  KeyHash,
  OpenChoice,
  Shown,
  Text,
  TrackingString,
  UtcDate,
  WorkspaceOrAll,
} from '../../edge/http/fields/field-decorators.js';
import { IntegerParameter, Parameter } from '../../edge/http/fields/query-decorators.js';
import type { Issue } from '../../edge/http/fields/shape.pipe.js';
import { DAY_MS, dayOf } from '../../kernel/day.js';
import { Refusal } from '../../kernel/errors.js';
import type { ActivityRow } from './activity-directory/activity.projection.js';
import {
  type ActivityFilter,
  type Asked,
  FILTERS,
  GROUPS,
} from './activity-directory/activity-filter.js';
import { numberUsd } from '../../kernel/usd.js';

/** A row of the activity as callers see it (docs/api.md 14). */
@ApiSchema({ name: 'Activity' })
export class ActivityRecord {
  @Shown('Day of the use, in UTC.', { type: String, format: 'date' })
  readonly date!: string;

  @Shown('Key that was used; null by user, and for what is of no key of the account.', {
    type: String,
    nullable: true,
  })
  readonly api_key_hash!: string | null;

  @Shown('End user who caused the use; null by key, and for all without a row of their own.', {
    type: String,
    nullable: true,
  })
  readonly user!: string | null;

  @Shown('Workspace that the key was in when its use was reported; null without a key.', {
    type: String,
    format: 'uuid',
    nullable: true,
  })
  readonly workspace_id!: string | null;

  @Shown('Usage in USD.', { type: Number })
  readonly usage!: number;

  @Shown('BYOK usage in USD.', { type: Number })
  readonly byok_usage!: number;

  @Shown('Number of requests.', { type: 'integer' })
  readonly requests!: number;
}

export function recordOf(row: ActivityRow): ActivityRecord {
  const { date, api_key_hash = null, user = null, workspace_id = null } = row;
  return {
    date,
    api_key_hash,
    user,
    workspace_id,
    usage: numberUsd(BigInt(row.usage)),
    byok_usage: numberUsd(BigInt(row.byok_usage)),
    requests: Number(row.requests),
  };
}

/** The greatest length of a cursor, which may name two users. JSON may take six bytes for a character of them. */
export const LONGEST_CURSOR = 9_000;

/** The query parameters of `GET /v1/activity` (docs/api.md 14), as strings. */
export class ListActivityRequest {
  @Parameter(UtcDate('The first day; 29 days before `to` when absent.'))
  readonly from?: string;

  @Parameter(UtcDate('The last day; today when absent.'))
  readonly to?: string;

  @Parameter(
    OpenChoice('Whether rows are by key and workspace, or by user; `key` when absent.', GROUPS),
  )
  readonly group_by?: ActivityFilter['group_by'];

  @Parameter(KeyHash('Only rows of this key; not by user.'))
  readonly api_key_hash?: string;

  @Parameter(
    WorkspaceOrAll('Only rows of this workspace, not by user; `all`, or absent, for every one.'),
  )
  readonly workspace_id?: string;

  @Parameter(TrackingString('Only rows of this end user; needs `group_by=user`.'))
  readonly user?: string;

  @IntegerParameter('The maximum number of rows to return.', { min: 1, max: 1_000, default: 100 })
  readonly limit = '100';

  @Parameter(Text('The next_cursor of an earlier page.', { max: LONGEST_CURSOR }))
  readonly cursor?: string;
}

type Given = { readonly [Field in keyof ActivityFilter]: ActivityFilter[Field] | undefined };

const DAYS_BEFORE = 29;

/**
 * Returns what a query asks for.
 * @param before what the page before it was asked for, and where it ended. The query may repeat its filter.
 * @throws Refusal when the filter is another one or contradicts itself.
 */
export function askedOf(query: ListActivityRequest, before: Asked | undefined, now: Date): Asked {
  const { group_by, from, to, user } = query;
  const api_key_hash = query.api_key_hash?.toLowerCase();
  const workspace = query.workspace_id?.toLowerCase();
  const workspace_id = workspace === ALL_WORKSPACES ? undefined : workspace;
  const given = { group_by, from, to, api_key_hash, workspace_id, user };
  const filter = before?.filter ?? withDefaults(given, now);
  const issues: Issue[] = [];
  for (const path of ['group_by', 'from', 'to', ...FILTERS] as const) {
    const isOther = given[path] !== undefined && given[path] !== filter[path];
    if (isOther) issues.push({ path, message: 'must be as on the page that gave the cursor' });
  }
  for (const path of FILTERS) {
    const group = path === 'user' ? 'user' : 'key';
    const isMisplaced = filter[path] !== undefined && filter.group_by !== group;
    if (isMisplaced) issues.push({ path, message: `may be given with group_by=${group} only` });
  }
  if (filter.from > filter.to) issues.push({ path: 'from', message: 'must not be after to' });
  if (issues.length > 0) throw new Refusal('request-invalid', { issues });
  return { filter, after: before?.after };
}

function withDefaults(given: Given, now: Date): ActivityFilter {
  const { group_by = 'key', to = dayOf(now.toISOString()) } = given;
  const first = new Date(Date.parse(to) - DAYS_BEFORE * DAY_MS);
  return { ...given, group_by, from: given.from ?? dayOf(first.toISOString()), to };
}
