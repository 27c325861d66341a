import type { EventMetadata } from '../kernel/metadata.js';
import type { Position } from '../kernel/position.js';

/** An event to be stored: data in its wire shape, and an id of the caller's, which makes retries safe. */
export interface StoredEvent {
  /** UUID. */
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

/** An event as the log gives it back. Its metadata carry its hash (event-hash.ts), unless an earlier release wrote it. */
export interface RecordedEvent extends StoredEvent {
  readonly position: Position;
  readonly stream: string;
  /** Place in its stream, from 0. */
  readonly revision: number;
}

/** `no-stream`: the stream must not exist yet; a number: the revision of its last event. */
export type ExpectedRevision = 'no-stream' | number;

export interface AppendResult {
  /** Of the last event written. */
  readonly revision: number;
  readonly position: Position;
}

/** The event by which a log is told from every other: its first one. */
export interface LogIdentity {
  readonly id: string;
  readonly position: Position;
}

/** A step through the log. It ends where an append ends: the events of an append are never in two batches. */
export interface EventBatch {
  /** Those wanted. */
  readonly events: readonly RecordedEvent[];
  /** How far the log was searched. */
  readonly reached: Position;
}

export interface ReadAllOptions {
  /** Only events of these types; others are passed over but count into `reached`. Absent: all. */
  readonly types?: readonly string[];
}

export interface CountOptions extends ReadAllOptions {
  /** A log that must read may stop counting here. Absent: it counts to the end. */
  readonly limit?: number;
}

/** Where a position stands in the log, in numbers for people, in the log's own measure: events, or bytes. */
export interface Place {
  /** From the start of the log up to it. */
  readonly passed: number;
  /** From it to the end of the log. */
  readonly ahead: number;
  /** When the first event after it happened; null when there is none. */
  readonly nextOccurredAt: string | null;
}

/**
 * The event log, the only store that is written to. Every promise rejects with `Unavailable` when the log cannot be reached,
 * and with `Denied` when it refuses the service. Any other error but `ConflictError` is a fault of the service.
 */
export interface EventLog {
  /**
   * Appends all events or none, durable before it resolves. An append that was already stored (same ids at
   * the place that `expected` names) resolves with the result it had, and writes nothing. Adds to the metadata of each
   * event its hash, and how many events of the append follow it.
   * @param onRetry called each time the log repeats an attempt that failed or was not answered.
   * @throws ConflictError when the stream is not at `expected`, a Refusal when the events are more than the log takes at
   * once; nothing was written.
   */
  append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
    onRetry?: () => void,
  ): Promise<AppendResult>;

  /**
   * The next events of a stream in order, from revision `from` (default 0): as many as may be held in memory at once, and none
   * only when there are no more.
   */
  readStream(stream: string, from?: number): Promise<RecordedEvent[]>;

  /**
   * The events after `after`, in log order, in batches, up to the head at the time of the call. The last batch may have later
   * ones, but reading ends, however fast others write.
   * @throws an Error when the log does not hold `after`.
   */
  readAll(after: Position, options?: ReadAllOptions): AsyncIterable<EventBatch>;

  /** As `readAll`, then the events that come, until `signal` aborts; it returns then. It reconnects by itself. */
  follow(after: Position, signal: AbortSignal, options?: ReadAllOptions): AsyncIterable<EventBatch>;

  /** The position of the last event; START when empty. It is never older than an append that was answered before the call. */
  head(): Promise<Position>;

  /** @throws Unavailable when the log cannot be read, or an append would be lost. */
  ping(): Promise<void>;

  /** How many events of the wanted types stand after a position. Some logs must read them. */
  countAfter(position: Position, options?: CountOptions): Promise<number>;

  /** The first event of ours, which retention must keep; null while the log is empty. */
  identity(): Promise<LogIdentity | null>;

  /**
   * Whether a position may be one of this log: it is not behind the head, and no other event is there. An event that was
   * removed since says nothing against it. So keep `identity()` beside a checkpoint, and compare it first: a log with
   * another identity is another log, whatever stands at the position. START is in every log.
   */
  holds(position: Position): Promise<boolean>;

  /** Places a position in the log, for reports. The cost is small for every position. */
  place(position: Position): Promise<Place>;

  /**
   * Closes the log. Followers must stop before. An append without an answer is finished, or rejected with its outcome left open.
   */
  close(): Promise<void>;
}

export const EVENT_LOG = Symbol('EventLog');

/** The stream was not at the expected revision; nothing was written. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';

  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
    /** The revision of the stream, -1 where it has no event. Absent where the log does not say. */
    readonly actual?: number,
  ) {
    super(`stream ${stream} is not at revision ${expected}`);
  }
}
