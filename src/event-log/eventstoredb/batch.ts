import type { Position } from '../../kernel/position.js';
import { sizeOf } from '../../kernel/size-of.js';
import { areOfOneAppend, endsAppend } from '../append-boundary.js';
import type { RecordedEvent } from '../event-log.js';
import type { Incoming } from './incoming.js';
import type { OwnStreams } from './own-streams.js';

const MOST_EVENTS = 1_000;
/** In bytes of memory, roughly: events may be large. */
const MOST_BYTES = 8_000_000;
/** Events searched, wanted or not, so that a long search does not hold back the events that it found. */
const MOST_SEARCHED = 20_000;

/** As many events as may be held at once, and the rest of the append that the last one is part of. */
export class Batch {
  readonly events: RecordedEvent[] = [];
  #reached: Position;
  #last: RecordedEvent | undefined;
  /** Whether the event after the last one has arrived, and belongs to another append. */
  #isClosed = false;
  #bytes = 0;
  #searched = 0;
  readonly #wanted: ReadonlySet<string> | undefined;

  /**
   * @param after events up to there are passed over.
   * @param types of the events wanted; absent: all.
   */
  constructor(
    private readonly streams: OwnStreams,
    after: Position,
    types?: readonly string[],
  ) {
    this.#reached = after;
    this.#wanted = types && new Set(types);
  }

  /** The position of the last event of ours that was searched; that given at first, before there is one. */
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

  /** The last event, where it is not known whether its append ends with it. */
  get open(): RecordedEvent | undefined {
    if (!this.#last || this.#isClosed || endsAppend(this.#last) === true) return undefined;
    return this.#last;
  }

  /** Takes what has arrived, until the batch is full and its last append complete. @returns whether it is. */
  fill(from: Incoming): boolean {
    for (let next = from.peek(); next; next = from.peek()) {
      const event = this.streams.isOurs(next) ? this.streams.recorded(next) : undefined;
      if (event && event.position > this.#reached) {
        this.#isClosed = this.#last !== undefined && !areOfOneAppend(this.#last, event);
        if (this.isFull && this.#isClosed) return true;
        this.add(event);
      }
      from.take();
    }
    return this.isFull && this.open === undefined;
  }

  /** Adds the event that follows those before. */
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
