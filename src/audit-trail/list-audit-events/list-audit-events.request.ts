import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  comparedWith,
  IsGivenOnce,
  IsText,
  IsUtcTimestamp,
  MayBeAbsent,
  rule,
} from '../../http/field-rules.js';
import { TEXT, UTC_TIMESTAMP } from '../../http/field-schemas.js';
import { IsLimit } from '../../http/paging.js';
import { parseUtcTimestamp } from '../../kernel/utc-timestamp.js';
import type { EventFilter } from '../audit-directory/event-filter.js';
import { ACTIONS } from '../domain/descriptions.js';
import { type Action, TARGET_TYPES, type TargetType } from '../domain/description.js';

export const DEFAULT_LIMIT = 50;

/** The query of `GET /v1/audit-events` (docs/api.md 11.2), as text. Unknown parameters are ignored. */
export class ListAuditEventsRequest {
  @IsLimit(DEFAULT_LIMIT)
  readonly limit?: string;

  @ApiPropertyOptional({
    description: 'The next_cursor of an earlier page with the same filter.',
    ...TEXT,
  })
  @MayBeAbsent()
  @IsText()
  @IsGivenOnce()
  readonly cursor?: string;

  @ApiPropertyOptional({
    description: 'Only events at this time or later; it must not be after `to`.',
    ...UTC_TIMESTAMP,
  })
  @MayBeAbsent()
  @IsUtcTimestamp()
  @IsNotAfter('to')
  @IsGivenOnce()
  readonly from?: string;

  @ApiPropertyOptional({ description: 'Only events before this time.', ...UTC_TIMESTAMP })
  @MayBeAbsent()
  @IsUtcTimestamp()
  @IsGivenOnce()
  readonly to?: string;

  @ApiPropertyOptional({
    description: 'Only events with this action; given several times, with any of them.',
    enum: ACTIONS,
    isArray: true,
  })
  @MayBeAbsent()
  @IsActions()
  readonly action?: Action | readonly Action[];

  @ApiPropertyOptional({
    description:
      'Only what this user did, the management key with this hash, or the operator with this name.',
    ...TEXT,
  })
  @MayBeAbsent()
  @IsText()
  @IsGivenOnce()
  readonly actor?: string;

  @ApiPropertyOptional({ description: 'Only events on targets of this type.', enum: TARGET_TYPES })
  @MayBeAbsent()
  @IsTargetType()
  readonly target_type?: TargetType;

  @ApiPropertyOptional({
    description: 'Only events on the target with this id; needs target_type.',
    ...TEXT,
  })
  @MayBeAbsent()
  @IsText()
  @IsGivenWith('target_type')
  @IsGivenOnce()
  readonly target_id?: string;
}

/** The filter that a checked query asks for. */
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

function IsTargetType(): PropertyDecorator {
  const known: readonly unknown[] = TARGET_TYPES;
  return rule(
    'isTargetType',
    (value) => known.includes(value),
    `must be given once, as one of ${TARGET_TYPES.join(', ')}`,
  );
}

/** The time is not after that of another field, if that has one. */
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
