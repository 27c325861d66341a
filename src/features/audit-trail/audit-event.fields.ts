import { ApiPropertyOptional, ApiSchema, PickType } from '@nestjs/swagger';
import {
  openListText,
  OpenChoice,
  Shown,
  ShownTime,
  Text,
  UtcTimestamp,
} from '../../edge/http/fields/field-decorators.js';
import { MayBeAbsent, rule } from '../../edge/http/fields/field-rules.js';
import { Paged } from '../../edge/http/fields/paging.js';
import { IntegerParameter, Parameter } from '../../edge/http/fields/query-decorators.js';
import type { OpenApiSchema } from '../../edge/http/openapi/answer.js';
import { type Actor, ACTOR_TYPES } from '../../kernel/metadata.js';
import { parseUtcTimestamp } from '../../kernel/utc-timestamp.js';
import { LONGEST_CURSOR } from './audit-directory/event-feed.js';
import type { EventFilter } from './audit-directory/event-filter.js';
import {
  type Action,
  type AuditEvent,
  TARGET_TYPES,
  type TargetType,
} from './domain/audit-event.js';
import { ACTIONS } from './domain/descriptions.js';

class AuditActor {
  @OpenChoice('Kind of the actor.', ACTOR_TYPES)
  readonly type!: Actor['type'];

  @Shown('Hash of the management key, or name of the operator.', { type: String })
  readonly id!: string;

  @Shown('User of the management key.', { type: String, nullable: true })
  readonly user_id!: string | null;
}

class AuditTarget {
  @OpenChoice('Kind of the target.', TARGET_TYPES)
  readonly type!: TargetType;

  @Shown('Id of the target.', { type: String })
  readonly id!: string;

  @Shown('Name of the target after the event.', { type: String, nullable: true })
  readonly name!: string | null;
}

/** The schema of a change. A class could not describe a value that may be any JSON. */
const change: OpenApiSchema = {
  type: 'object',
  required: ['field', 'before', 'after'],
  properties: {
    field: { type: 'string', description: 'Name of the field.' },
    before: { description: 'Any JSON value; null for a new field.' },
    after: { description: 'Any JSON value; null for a removed field.' },
  },
};

/** An event of the audit trail as callers see it (docs/api.md 11.1). */
@ApiSchema({ name: 'AuditEvent' })
export class AuditEventRecord implements AuditEvent {
  @Shown('Id of the stored event.', { type: String, format: 'uuid' })
  readonly id!: string;

  @ShownTime('Time of the event.')
  readonly occurred_at!: string;

  @OpenChoice('What was done.', ACTIONS)
  readonly action!: Action;

  @Shown('Who did it.', { type: () => AuditActor })
  readonly actor!: Actor;

  @Shown('What it was done to.', { type: () => AuditTarget })
  readonly target!: AuditEvent['target'];

  @Shown('Fields that changed.', { type: 'array', items: change })
  readonly changes!: AuditEvent['changes'];

  @Shown('Id of the request that caused the event; null if no request did.', {
    type: String,
    nullable: true,
  })
  readonly request_id!: string | null;

  @Shown('Trace of the request, from its `traceparent`; null if the request has none.', {
    type: String,
    nullable: true,
  })
  readonly trace_id!: string | null;

  @Shown('Position of the event in the event log.', { type: String })
  readonly log_position!: string;
}

/** The query parameters of `GET /v1/audit-events` (docs/api.md 11.2), as strings. */
export class ListAuditEventsRequest extends PickType(Paged(50), ['limit']) {
  @Parameter(Text('The `next_cursor` of an earlier page with the same filter.'))
  readonly cursor?: string;

  @Parameter(
    UtcTimestamp('Only events at this time or later; it must not be after `to`.'),
    IsNotAfter('to'),
  )
  readonly from?: string;

  @Parameter(UtcTimestamp('Only events before this time.'))
  readonly to?: string;

  @ApiPropertyOptional({
    description: `Only events with this action. Given several times: events with any of them. ${openListText(ACTIONS)}`,
    type: [String],
  })
  @MayBeAbsent()
  @IsActions()
  readonly action?: Action | readonly Action[];

  @Parameter(
    Text(
      'Only what was done by this user, by the management key with this hash, or by the operator with this name.',
    ),
  )
  readonly actor?: string;

  @Parameter(OpenChoice('Only events on targets of this type.', TARGET_TYPES))
  readonly target_type?: TargetType;

  @Parameter(
    Text('Only events on the target with this id; needs `target_type`.'),
    IsGivenWith('target_type'),
  )
  readonly target_id?: string;
}

/** The query parameters of `GET /v1/events` (docs/api.md 11.6), as strings. */
export class ReadEventsRequest extends PickType(ListAuditEventsRequest, [
  'action',
  'actor',
  'target_type',
  'target_id',
]) {
  @Parameter(
    Text(
      'The `next_cursor` of the answer before. If absent, the feed begins with the first event of the account. `latest`: no event, and the cursor of now.',
      { max: LONGEST_CURSOR },
    ),
  )
  readonly after?: string;

  @IntegerParameter('The maximum number of events to return.', { min: 1, max: 1_000, default: 100 })
  readonly limit = '100';

  @IntegerParameter('How many seconds an answer without events waits for the next event.', {
    min: 0,
    max: 20,
    default: 0,
  })
  readonly wait = '0';
}

/** The fields of a query that choose events. */
export type EventChoice = {
  readonly [Field in 'action' | 'actor' | 'target_type' | 'target_id' | 'from' | 'to']?:
    ListAuditEventsRequest[Field] | undefined;
};

/** Returns the actions of a query, each once and in one order. */
export function actionsIn(action: EventChoice['action']) {
  return action && [...new Set([action].flat())].sort();
}

/** Returns the filter of a query. Two queries that ask for the same have the same filter. */
export function eventFilterOf(query: EventChoice): EventFilter {
  const { action, actor, target_type: type, target_id: id } = query;
  return {
    actions: actionsIn(action),
    actor,
    target: type && { type, id },
    from: timeIn(query.from) ?? undefined,
    to: timeIn(query.to) ?? undefined,
  };
}

function IsActions(): PropertyDecorator {
  const known: ReadonlySet<unknown> = new Set(ACTIONS);
  return rule(
    (value) => [value].flat().every((action) => known.has(action)),
    `must be one of ${ACTIONS.join(', ')}; it may be given several times`,
  );
}

function IsNotAfter(other: string): PropertyDecorator {
  return rule((value, fields) => {
    const time = timeIn(value);
    const limit = timeIn(fields[other]);
    return time === null || limit === null || time <= limit;
  }, `must not be after ${other}`);
}

function timeIn(value: unknown): string | null {
  return typeof value === 'string' ? parseUtcTimestamp(value) : null;
}

function IsGivenWith(other: string): PropertyDecorator {
  return rule((_, fields) => fields[other] !== undefined, `may be given with ${other} only`);
}
