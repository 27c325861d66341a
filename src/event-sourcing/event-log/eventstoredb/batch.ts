import type { Position } from '../../../kernel/position.js';
import { sizeOf } from '../../../kernel/size-of.js';
import { followersOf, type RecordedEvent } from '../event-log.js';
import type { Incoming } from './incoming.js';
import type { OwnStreams } from './own-streams.js';

const MOST_EVENTS = 1_000;
/**
 * The most event data in a batch, roughly, in bytes of memory. What is folded from a batch is one transaction of MongoDB,
 * which commits at most 16 MB.
 */
const MOST_BYTES = 2_000_000;
/** The most events that a batch searches, wanted or not, so that a long search does not hold back the events found. */
const MOST_SEARCHED = 20_000;

/** A batch of events: as many as may be in memory at once, and the rest of the append of the last event. */
export class Batch {
  readonly events: RecordedEvent[] = [];
  #reached: Position;
  #last: RecordedEvent | undefined;
  /** Whether the event after the last event has arrived, and belongs to another append. */
  #isClosed = false;
  #bytes = 0;
  #searched = 0;
  readonly #wanted: ReadonlySet<string> | undefined;

  /**
   * @param after the position up to which events are skipped.
   * @param types the types of the wanted events. Default: all types.
   */
  constructor(
    private readonly streams: OwnStreams,
    after: Position,
    types?: readonly string[],
  ) {
    this.#reached = after;
    this.#wanted = types && new Set(types);
  }

  /** The position of the last of our events that was searched; `after` before the first event. */
  get reached(): Position {
    return this.#reached;
  }

  get isEmpty(): boolean {
    return this.#last === undefined;
  }

  get isFull(): boolean {
    return (
      this.events.length >= MOST_EVENTS ||
      this.#bytes >= MOST_BYTES ||
      this.#searched >= MOST_SEARCHED
    );
  }

  /** The last event, if more events of its append may follow; otherwise undefined. */
  get open(): RecordedEvent | undefined {
    if (!this.#last || this.#isClosed || followersOf(this.#last) === 0) return undefined;
    return this.#last;
  }

  /** Takes arrived events until the batch is complete: full of whole appends. @returns whether it is complete. */
  fill(from: Incoming): boolean {
    for (let next = from.peek(); next; next = from.peek()) {
      const event = this.streams.isOurs(next) ? this.streams.recorded(next) : undefined;
      if (event && event.position > this.#reached) {
        this.#isClosed = this.#last !== undefined && !follows(this.#last, event);
        if (this.isFull && this.#isClosed) return true;
        this.add(event);
      }
      from.take();
    }
    return this.isFull && this.open === undefined;
  }

  /** Adds the next event. */
  add(event: RecordedEvent): void {
    this.#searched += 1;
    this.#last = event;
    this.#reached = event.position;
    this.#isClosed = false;
    if (this.#wanted?.has(event.type) === false) return;
    this.events.push(event);
    this.#bytes += sizeOf(event.data);
  }
}

/** Whether a later event belongs to the append of an event. Events between them may have been skipped. */
function follows(event: RecordedEvent, later: RecordedEvent): boolean {
  return event.stream === later.stream && later.revision <= event.revision + followersOf(event);
}
