import { BACKWARDS, END, type EventStoreDBClient, type ReadPosition } from '@eventstore/db-client';
import { type Position, START } from '../../../kernel/position.js';
import { TimedOut } from './faults.js';
import { Incoming } from './incoming.js';
import { placeInLog } from './positions.js';
import type { OwnStreams } from './own-streams.js';
import { positionIn, type ReceivedEvent } from './records.js';

/** The result of an earlier search. */
interface Searched {
  /** The position of the last event of the log when the search began, ours or not. */
  readonly top: Position;
  /** The position of our last event up to `top`; undefined when the search was cut off before it found our event. */
  readonly last: Position | undefined;
  /** The position down to which the log was searched. */
  readonly bottom: Position;
  /** An earlier search, if this search was cut off above the `top` of that search. */
  readonly below?: Searched | undefined;
}

/**
 * Finds our last event in a log that other services write to as well. It searches backwards from the end, down to where
 * an earlier search began. So a search costs one small read while nobody writes, and never misses an event. One search
 * runs at a time, so that each knows what the one before found.
 */
export class LastEvent {
  #searched: Searched | undefined;

  constructor(
    private readonly client: EventStoreDBClient,
    private readonly streams: OwnStreams,
  ) {}

  /** @throws TimedOut after `withinMs`. The next call continues the search where this call was cut off. */
  async find(withinMs: number): Promise<Position> {
    const until = performance.now() + withinMs;
    const newest = await this.#newest(withinMs);
    if (!newest) return START;
    const top = positionIn(newest);
    const known = this.#searched;
    const last = this.streams.isOurs(newest) ? top : known?.top === top ? known.last : undefined;
    if (last === undefined) return this.#search(top, until, withinMs);
    this.#searched = { top, last, bottom: last };
    return last;
  }

  /** Searches for our last event below the position `top`, where the event is not ours. */
  async #search(top: Position, until: number, withinMs: number): Promise<Position> {
    let known = this.#searched;
    let bottom = top;
    try {
      for (;;) {
        while (known && bottom === known.top) {
          // An earlier search covered everything from here down to its `bottom`.
          ({ bottom } = known);
          if (known.last !== undefined) return this.#found(top, known.last);
          known = known.below;
        }
        for await (const event of this.#below(bottom, until, withinMs)) {
          bottom = positionIn(event);
          if (this.streams.isOurs(event)) return this.#found(top, bottom);
          if (known && bottom < known.top) known = undefined; // This is not the log of the earlier search.
          if (bottom === known?.top) break;
        }
        if (bottom !== known?.top) return this.#found(top, START);
      }
    } catch (error) {
      this.#searched = { top, last: undefined, bottom, below: known };
      throw error;
    }
  }

  #found(top: Position, last: Position): Position {
    this.#searched = { top, last, bottom: last };
    return last;
  }

  async #newest(withinMs: number): Promise<ReceivedEvent | undefined> {
    const incoming = this.#open(END, 1);
    try {
      return (await incoming.arrived(withinMs)) ? incoming.take() : undefined;
    } finally {
      incoming.close();
    }
  }

  async *#below(position: Position, until: number, withinMs: number): AsyncIterable<ReceivedEvent> {
    const incoming = this.#open(placeInLog(position));
    try {
      while (await incoming.arrived(until - performance.now())) {
        for (let event = incoming.take(); event; event = incoming.take()) yield event;
        if (performance.now() > until) throw new TimedOut(withinMs);
      }
    } finally {
      incoming.close();
    }
  }

  #open(fromPosition: ReadPosition, maxCount?: number): Incoming {
    const count = maxCount === undefined ? {} : { maxCount };
    const options = { direction: BACKWARDS, fromPosition, requiresLeader: true, ...count } as const;
    return new Incoming(this.client.readAll(options));
  }
}
