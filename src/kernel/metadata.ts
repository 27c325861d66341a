/** The author: `system` is the service at first start, `operator` a person at the command line. */
export type Actor =
  | { readonly type: 'management-key'; readonly id: string; readonly user_id: string }
  | { readonly type: 'operator' | 'system'; readonly id: string; readonly user_id: null };

export const ACTOR_TYPES: readonly Actor['type'][] = ['management-key', 'operator', 'system'];

/** The ids in a `traceparent` (W3C Trace Context): of the trace, and of the caller's span. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly trace_id: string;
  /** 16 hexadecimal digits. */
  readonly span_id: string;
}

/** The origin of a command: who sent the command, and with which request. */
export interface Origin {
  readonly actor: Actor;
  readonly requestId: string | null;
  /** The request's trace. Absent if it has none, or if no request caused the command. */
  readonly trace?: Trace;
  /** Whether the caller waits no more: it disconnected, or was answered. Absent if it cannot. */
  readonly hasLeft?: () => boolean;
}

/** The audit record stored with every event. Its field names are part of the storage contract. */
export interface EventMetadata extends Partial<Trace> {
  /** The time of the event, in ISO 8601 UTC with milliseconds. */
  readonly occurred_at: string;
  readonly actor: Actor;
  readonly account_id: string;
  readonly request_id: string | null;
  /** The id that all events of a request share, or of a command without a request. */
  readonly correlation_id: string;
  /** The id of the command that caused this event. All events of that command share the id. */
  readonly causation_id: string;
  /** The number of later events in the same append. Absent if 0. */
  readonly more_in_append?: number;
}

/** Whether a value is an event's metadata: it names the actor, time, account and cause. */
export function isEventMetadata(found: unknown): found is EventMetadata {
  if (typeof found !== 'object' || found === null) return false;
  const { actor, occurred_at, account_id, causation_id } = found as Partial<EventMetadata>;
  return (
    ACTOR_TYPES.some((type) => type === actor?.type) &&
    typeof actor?.id === 'string' &&
    typeof occurred_at === 'string' &&
    typeof account_id === 'string' &&
    typeof causation_id === 'string'
  );
}
