import type { DomainEvent, Happened } from '../../../kernel/event.js';
import type { Actor } from '../../../kernel/metadata.js';
import type { Position } from '../../../kernel/position.js';

/** An event as the audit trail describes it (docs/api.md 11.1). */
export interface AuditEvent {
  readonly id: string;
  readonly occurred_at: string;
  readonly action: Action;
  readonly actor: Actor;
  readonly target: {
    readonly type: TargetType;
    readonly id: string;
    /** The name of the target after the event; null when the target has no name. */
    readonly name: string | null;
  };
  readonly changes: readonly FieldChange[];
  readonly request_id: string | null;
  readonly trace_id: string | null;
  readonly log_position: Position;
}

export const TARGET_TYPES = [
  'key',
  'end-user',
  'workspace',
  'member',
  'management-key',
  'account',
] as const;

export type TargetType = (typeof TARGET_TYPES)[number];

/** The action of an event. It begins with the type of the target. */
export type Action = `${TargetType}.${string}`;

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Description<Event extends DomainEvent> {
  readonly action: Action;
  target(data: Event['data']): string;
  /** Returns the name of the target. Absent for events that do not set a name. */
  name?(data: Event['data']): string | null;
  changes(event: Happened<Event>): readonly FieldChange[];
}

/** A description for each type of event. The compiler refuses a missing type. */
export type Descriptions<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: Description<Extract<Event, { type: Type }>>;
};

export function targetTypeOf(action: Action): TargetType {
  return action.slice(0, action.indexOf('.')) as TargetType;
}
