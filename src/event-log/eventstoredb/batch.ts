import { type Position, START } from '../../kernel/position.js';
import { sizeOf } from '../../kernel/size-of.js';
import type { StreamEvent } from '../event-log.js';
import type { Incoming } from './incoming.js';
import type { OwnStreams } from './own-streams.js';
import { positionIn, type ReceivedEvent } from './records.js';

const MOST_EVENTS = 1_000;
/** In bytes of memory, roughly: events may be large. */
const MOST_BYTES = 8_000_000;
/** Events looked at, wanted or not, so that a search through many does not keep what was found waiting. */
const MOST_SEARCHED = 20_000;

/** As many events as are fit to be held at once. */
export class Batch {
  readonly events: StreamEvent[] = [];
  #reached: Position = START;
  #bytes = 0;
  #searched = 0;
  readonly #wanted: ReadonlySet<string> | undefined;

  /** @param types those wanted; absent: all. */
  constructor(
    private readonly streams: OwnStreams,
    types?: readonly string[],
  ) {
    this.#wanted = types && new Set(types);
  }

  /** Of the last event of ours that was looked at; START before the first. */
  get reached(): Position {
    return this.#reached;
  }

  get full(): boolean {
    return (
      this.events.length >= MOST_EVENTS ||
      this.#bytes >= MOST_BYTES ||
      this.#searched >= MOST_SEARCHED
    );
  }

  /** Takes what has arrived, up to what fits. */
  fill(from: Incoming): void {
    while (!this.full) {
      const event = from.take();
      if (!event) return;
      if (this.streams.isOurs(event)) this.#add(event);
    }
  }

  #add(event: ReceivedEvent): void {
    this.#searched += 1;
    this.#reached = positionIn(event);
    if (this.#wanted?.has(event.type) === false) return;
    this.events.push(this.streams.recorded(event));
    this.#bytes += sizeOf(event.data);
  }
}
