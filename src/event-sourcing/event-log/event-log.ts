import { type EventMetadata, isEventMetadata } from '../../kernel/metadata.js';
import type { Position } from '../../kernel/position.js';

/** An event to append, its data as stored. The caller chooses the id, so that repeating is safe. */
export interface StoredEvent {
  /** UUID. */
  readonly id: string;
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
  readonly metadata: EventMetadata;
}

export interface RecordedEvent extends StoredEvent {
  readonly position: Position;
  readonly stream: string;
  /** The place of the event in its stream, counted from 0. */
  readonly revision: number;
}

/** The revision that the stream's last event must have; `no-stream` when none may exist yet. */
export type ExpectedRevision = 'no-stream' | number;

export interface AppendResult {
  /** The revision of the last event of the append. `position` is the position of the same event. */
  readonly revision: number;
  readonly position: Position;
}

/** The identity of a log: its first event, which no other log has. */
export interface LogIdentity {
  readonly id: string;
  readonly position: Position;
  /** The stream of that event. */
  readonly stream: string;
}

/**
 * The bytes at which a batch ends, after the append that reaches them. Parsed events take several
 * times that memory.
 */
export const BATCH_BYTES = 2_000_000;

/**
 * Events in log order, of `BATCH_BYTES` or a little more. A batch ends where an append ends, so no
 * append is split between two batches.
 */
export interface EventBatch {
  readonly events: readonly RecordedEvent[];
  /** The position of the last event. */
  readonly reached: Position;
}

export interface StreamPage {
  readonly events: readonly RecordedEvent[];
  readonly more: boolean;
}

/**
 * The event log, the only store that decisions write to. Every promise rejects with `Unavailable`
 * when the log cannot be reached, and with `Denied` when the log denies access. All errors that
 * neither this text nor the method names are faults of the service.
 */
export interface EventLog {
  /** An operator's name for the log, as `event log`: the `part` of `Unavailable` and `Denied`. */
  readonly part: string;

  /**
   * Appends all events or none. They are durable when the promise resolves. If events with the same
   * ids already follow `expected` in the stream, nothing is written, and the promise resolves with
   * their revision and position. The log adds to each event's metadata how many of the append
   * follow.
   * @throws ConflictError when the stream is not at `expected`; a Refusal when the events have more
   * bytes than the log accepts in one append. In both cases nothing was written.
   */
  append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult>;

  /**
   * Returns a page of a stream: its events in order, from revision `from` (default 0) on, within a
   * memory limit. The page is empty only when the stream has no event from `from` on.
   */
  readStream(stream: string, from?: number): Promise<StreamPage>;

  /**
   * Delivers the events after `after` in batches, in log order, then new events, until `signal`
   * aborts. It reconnects by itself.
   * @throws UnheldPositionError when the log does not hold `after`: it is after the end of the log,
   * or another event is at its place. A log whose event there was removed holds the position, and
   * so may another log. Store `identity()` beside a checkpoint, and compare it first.
   */
  follow(after: Position, signal: AbortSignal): AsyncIterable<EventBatch>;

  /**
   * Returns the last event's position (START when empty). No append answered before is left out.
   * @param reached a position of this log that the caller knows of. It may make the search shorter.
   */
  head(reached?: Position): Promise<Position>;

  /** @throws Unavailable when the log cannot be read, or an append would be lost. */
  ping(): Promise<void>;

  /** Returns the service's first event, which retention must never remove; null in an empty log. */
  identity(): Promise<LogIdentity | null>;

  /** Closes the log. End every `follow` first. An append under way may fail and yet be stored. */
  close(): Promise<void>;
}

/** Returns the events of an append with how many follow each, so that readers see its end. */
export function withFollowers(events: readonly StoredEvent[]): StoredEvent[] {
  return events.map((event, index) => {
    const more = events.length - 1 - index;
    return more > 0 ? { ...event, metadata: { ...event.metadata, more_in_append: more } } : event;
  });
}

export function followersOf({ metadata }: Pick<RecordedEvent, 'metadata'>): number {
  return isEventMetadata(metadata) ? (metadata.more_in_append ?? 0) : 0;
}

export class ConflictError extends Error {
  override readonly name = 'ConflictError';

  constructor(
    readonly stream: string,
    readonly expected: ExpectedRevision,
  ) {
    super(`stream ${stream} is not at revision ${expected}`);
  }
}

export class UnheldPositionError extends Error {
  override readonly name = 'UnheldPositionError';

  constructor(position: Position) {
    super(
      `the event log does not hold position ${position}: it was emptied, restored from an older copy, or is another one`,
    );
  }
}
