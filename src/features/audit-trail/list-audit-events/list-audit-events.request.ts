import { ApiPropertyOptional } from '@nestjs/swagger';
import { Text, UtcTimestamp } from '../../../edge/http/fields/field-decorators.js';
import { comparedWith, MayBeAbsent, rule } from '../../../edge/http/fields/field-rules.js';
import { LimitParameter } from '../../../edge/http/fields/paging.js';
import { ChoiceParameter, Parameter } from '../../../edge/http/fields/query-decorators.js';
import { parseUtcTimestamp } from '../../../kernel/utc-timestamp.js';
import type { EventFilter } from '../audit-directory/event-filter.js';
import { ACTIONS } from '../domain/descriptions.js';
import { type Action, TARGET_TYPES, type TargetType } from '../domain/description.js';

export const DEFAULT_LIMIT = 50;

/** The query parameters of `GET /v1/audit-events` (docs/api.md 11.2), as strings. */
export class ListAuditEventsRequest {
  @LimitParameter(DEFAULT_LIMIT)
  readonly limit?: string;

  @Parameter(Text('The next_cursor of an earlier page with the same filter.'))
  readonly cursor?: string;

  @Parameter(
    UtcTimestamp('Only events at this time or later; it must not be after `to`.'),
    IsNotAfter('to'),
  )
  readonly from?: string;

  @Parameter(UtcTimestamp('Only events before this time.'))
  readonly to?: string;

  @ApiPropertyOptional({
    description:
      'Only events with this action. Given several times: events with any of the actions.',
    enum: ACTIONS,
    isArray: true,
  })
  @MayBeAbsent()
  @IsActions()
  readonly action?: Action | readonly Action[];

  @Parameter(
    Text(
      'Only what this user did, the management key with this hash, or the operator with this name.',
    ),
  )
  readonly actor?: string;

  @ChoiceParameter('Only events on targets of this type.', TARGET_TYPES)
  readonly target_type?: TargetType;

  @Parameter(
    Text('Only events on the target with this id; needs target_type.'),
    IsGivenWith('target_type'),
  )
  readonly target_id?: string;
}

/** Returns the filter of a validated query. */
export function filterOf(query: ListAuditEventsRequest): EventFilter {
  const { action, actor, target_type: type, target_id: id } = query;
  return {
    actions: action && [action].flat(),
    actor,
    target: type && { type, id },
    from: canonical(query.from),
    to: canonical(query.to),
  };
}

function canonical(time: string | undefined): string | undefined {
  return (time !== undefined && parseUtcTimestamp(time)) || undefined;
}

function IsActions(): PropertyDecorator {
  const known: ReadonlySet<unknown> = new Set(ACTIONS);
  return rule(
    'isActions',
    (value) => [value].flat().every((action) => known.has(action)),
    `must be one of ${ACTIONS.join(', ')}; it may be given several times`,
  );
}

/** Checks that the time in the field is not after the time in another field. */
function IsNotAfter(other: string): PropertyDecorator {
  return comparedWith(other, `must not be after ${other}`, (value, bound) => {
    const [time, limit] = [value, bound].map((text) =>
      typeof text === 'string' ? parseUtcTimestamp(text) : null,
    );
    return !time || !limit || time <= limit;
  });
}

function IsGivenWith(other: string): PropertyDecorator {
  return comparedWith(other, `may be given with ${other} only`, (_, found) => found !== undefined);
}
