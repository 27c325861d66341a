import type { DomainEvent, Happened } from '../../kernel/event.js';

/** What an audit event can be about. */
export const TARGET_TYPES = [
  'key',
  'end-user',
  'workspace',
  'member',
  'management-key',
  'account',
] as const;

export type TargetType = (typeof TARGET_TYPES)[number];

/** Begins with the type of its target. */
export type Action = `${TargetType}.${string}`;

export interface FieldChange {
  /** In the words of the interface. */
  readonly field: string;
  /** Null for what is new. */
  readonly before: unknown;
  readonly after: unknown;
}

/** How the audit trail tells an event of one type. */
export interface Description<Event extends DomainEvent> {
  readonly action: Action;
  /** The id of the target. */
  target(data: Event['data']): string;
  /** The name of the target, of an event that gives it one. */
  name?(data: Event['data']): string | null;
  changes(event: Happened<Event>): readonly FieldChange[];
}

/** One for each type of event: a type without one does not compile. */
export type Descriptions<Event extends DomainEvent> = {
  readonly [Type in Event['type']]: Description<Extract<Event, { type: Type }>>;
};

/** What a creation set; a value that is null was left out by whoever created it. */
export function set(values: Readonly<Record<string, unknown>>): FieldChange[] {
  const changes: FieldChange[] = [];
  for (const field in values) {
    const after = values[field];
    if (after !== null) changes.push({ field, before: null, after });
  }
  return changes;
}

export function changed(field: string, before: unknown, after: unknown): FieldChange[] {
  return [{ field, before, after }];
}

/** The type of target that an action is about. */
export function targetTypeOf(action: Action): TargetType {
  return action.slice(0, action.indexOf('.')) as TargetType;
}
