import type { Actor } from '../../../kernel/metadata.js';
import type { Position } from '../../../kernel/position.js';
import type { Action, FieldChange, TargetType } from './description.js';

/** An event as the audit trail describes it (docs/api.md 11.1). */
export interface AuditEvent {
  /** The id of the stored event. */
  readonly id: string;
  /** ISO 8601 UTC. */
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
  /** The id of the trace that the caller sent with the request; null when the request had none. */
  readonly trace_id: string | null;
  readonly log_position: Position;
}
