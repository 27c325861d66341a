import { BACKWARDS, END, type EventStoreDBClient, type ReadPosition } from '@eventstore/db-client';
import { type Position, START } from '../../../kernel/position.js';
import { isNoPlace } from './faults.js';
import { received } from './incoming.js';
import { type OwnStreams, placeInLog, positionIn, type ReceivedEvent } from './records.js';

/** What was searched: the log from `top`, which was its end, down to `bottom`. */
interface Searched {
  readonly top: Position;
  readonly bottom: Position;
}

/**
 * Finds our last event in a log that other services write to as well. It searches backwards from the end, down to where
 * an earlier search began. So a search costs one small read while nobody writes, and never misses an event. Calls must
 * run one after another, so that each knows what the one before found.
 */
export class Head {
  /** Our last event of the log up to `top`. */
  #known = { top: START, last: START };
  /** A search that was cut off before it found an event of ours. */
  #cutOff: Searched | undefined;

  constructor(private readonly streams: OwnStreams) {}

  /**
   * @param withinMs how long the server may be silent.
   * @throws what cuts a search off. The next call continues the search there.
   */
  async find(client: EventStoreDBClient, withinMs: number): Promise<Position> {
    if (this.#cutOff) await this.#search(client, withinMs, this.#cutOff);
    return this.#search(client, withinMs);
  }

  async #search(client: EventStoreDBClient, withinMs: number, from?: Searched): Promise<Position> {
    let { top, bottom } = { ...from };
    const found = (last: Position): Position => {
      this.#known = { top: top ?? START, last };
      this.#cutOff = undefined;
      return last;
    };
    try {
      for await (const event of backwards(client, bottom, withinMs)) {
        bottom = positionIn(event);
        top ??= bottom;
        if (this.streams.isOurs(event)) return found(bottom);
        if (bottom === this.#known.top) return found(this.#known.last);
      }
      return found(START);
    } catch (error) {
      // When the log has no such place any more, it was wiped.
      if (isNoPlace(error)) this.#cutOff = undefined;
      else if (top !== undefined && bottom !== undefined) this.#cutOff = { top, bottom };
      throw error;
    }
  }
}

/** Reads all events before a position, the last one first. Default: from the end, and the last event by itself. */
async function* backwards(
  client: EventStoreDBClient,
  before: Position | undefined,
  withinMs: number,
): AsyncIterable<ReceivedEvent> {
  let position = before;
  if (position === undefined) {
    for await (const event of read(client, END, withinMs, 1)) {
      yield event;
      position = positionIn(event);
    }
  }
  if (position !== undefined) yield* read(client, placeInLog(position), withinMs);
}

function read(
  client: EventStoreDBClient,
  fromPosition: ReadPosition,
  withinMs: number,
  maxCount = Number.MAX_SAFE_INTEGER,
): AsyncIterable<ReceivedEvent> {
  const options = { direction: BACKWARDS, fromPosition, maxCount, requiresLeader: true } as const;
  return received(client.readAll(options), withinMs);
}
