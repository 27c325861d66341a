import { ApiSchema } from '@nestjs/swagger';
import { Shown, ShownTime } from '../../edge/http/fields/field-decorators.js';
import type { Actor } from '../../kernel/metadata.js';
import type { AuditEvent } from './domain/audit-event.js';
import { ACTIONS } from './domain/descriptions.js';
import { type Action, TARGET_TYPES, type TargetType } from './domain/description.js';

class AuditActor {
  @Shown('Kind of the actor.', { type: String, enum: ['management-key', 'operator', 'system'] })
  readonly type: Actor['type'] = 'system';

  @Shown('Hash of the management key, or name of the operator.', { type: String })
  readonly id: string = '';

  @Shown('User of the management key.', { type: String, nullable: true })
  readonly user_id: string | null = null;
}

class AuditTarget {
  @Shown('Kind of the target.', { type: String, enum: [...TARGET_TYPES] })
  readonly type: TargetType = 'account';

  @Shown('Id of the target.', { type: String })
  readonly id: string = '';

  @Shown('Name of the target, as the event left it.', { type: String, nullable: true })
  readonly name: string | null = null;
}

/** The schema of a change. It is not a class, because a class cannot describe a value that may be any JSON. */
const change = {
  type: 'object',
  required: ['field', 'before', 'after'],
  properties: {
    field: { type: 'string', description: 'Name of the field.' },
    before: { description: 'Any JSON value; null for a new field.' },
    after: { description: 'Any JSON value; null for a removed field.' },
  },
} as const;

/** An event of the audit trail as callers see it (docs/api.md 11.1). */
@ApiSchema({ name: 'AuditEvent' })
export class AuditEventRecord implements AuditEvent {
  @Shown('Id of the stored event.', { type: String, format: 'uuid' })
  readonly id: string = '';

  @ShownTime('Time of the event.')
  readonly occurred_at: string = '';

  @Shown('What was done.', { type: String, enum: [...ACTIONS] })
  readonly action: Action = 'account.created';

  @Shown('Who did it.', { type: () => AuditActor })
  readonly actor: Actor = { type: 'system', id: '', user_id: null };

  @Shown('What it was done to.', { type: () => AuditTarget })
  readonly target: AuditEvent['target'] = new AuditTarget();

  @Shown('Fields that changed.', {
    type: 'array',
    items: { ...change, required: [...change.required] },
  })
  readonly changes: AuditEvent['changes'] = [];

  @Shown('Id of the request that caused the event; null when none did.', {
    type: String,
    nullable: true,
  })
  readonly request_id: string | null = null;

  @Shown('Trace of the request, from its traceparent; null when the request has none.', {
    type: String,
    nullable: true,
  })
  readonly trace_id: string | null = null;

  @Shown('Position of the event in the log.', { type: String })
  readonly log_position: string = '';
}
