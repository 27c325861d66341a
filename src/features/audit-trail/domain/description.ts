import type { DomainEvent, Happened } from '../../../kernel/event.js';

/** The types of objects that an event can change. */
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
  /** The name of the field in the API. */
  readonly field: string;
  /** The value before the event; null for a new field. */
  readonly before: unknown;
  readonly after: unknown;
}

/** How the audit trail describes events of one type. */
export interface Description<Event extends DomainEvent> {
  readonly action: Action;
  /** Returns the id of the target. */
  target(data: Event['data']): string;
  /** Returns the name of the target. Absent for events that do not set a name. */
  name?(data: Event['data']): string | null;
  changes(event: Happened<Event>): readonly FieldChange[];
}

/** A description for each type of event. The compiler refuses a missing type. */
export type Descriptions<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: Description<Extract<Event, { type: Type }>>;
};

/** Returns the type of the target of an action. */
export function targetTypeOf(action: Action): TargetType {
  return action.slice(0, action.indexOf('.')) as TargetType;
}
