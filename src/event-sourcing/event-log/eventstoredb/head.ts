import { BACKWARDS, END, type EventStoreDBClient, type ReadPosition } from '@eventstore/db-client';
import { type Position, START } from '../../../kernel/position.js';
import { isNoPlace, Silence } from './faults.js';
import { BEGUN_WITHIN_MS, Incoming } from './incoming.js';
import { type OwnStreams, placeInLog, positionIn, type ReceivedEvent } from './records.js';

/** What was searched: the log from `top`, which was its end, down to `bottom`. */
interface Searched {
  readonly top: Position;
  readonly bottom: Position;
}

/**
 * Finds our last event in a log that other services write to as well. It searches backwards from the end, down to where
 * an earlier search began. So a search costs one small read while nobody writes, and never misses an event. Behind a
 * long tail of others it also searches forwards from an event of ours, because then the server passes over the others.
 * Calls must run one after another, so that each knows what the one before found.
 */
export class Head {
  /** Our last event of the log up to `top`. */
  #known = { top: START, last: START };
  /** A search that was cut off before it found an event of ours. */
  #cutOff: Searched | undefined;
  /** Whether the last search after one that was cut off was forwards. */
  #wasForwards = false;

  /** @param has whether the log has the very event of a position. */
  constructor(
    private readonly streams: OwnStreams,
    private readonly has: (position: Position) => Promise<boolean>,
  ) {}

  /**
   * @param reached a position of ours that is known, the later the better.
   * @throws Silence after `withinMs`. The next call continues the search where this call was cut off.
   */
  async find(client: EventStoreDBClient, withinMs: number, reached: Position): Promise<Position> {
    const until = performance.now() + withinMs;
    if (this.#cutOff) {
      // Forwards may be the longer way, and an old server does not tell where the end is. So the two take turns.
      this.#wasForwards = !this.#wasForwards && reached !== START && (await this.has(reached));
      if (this.#wasForwards) await this.#searchForwards(client, until, reached);
      else await this.#search(client, until, this.#cutOff);
    }
    return this.#search(client, until);
  }

  async #searchForwards(
    client: EventStoreDBClient,
    until: number,
    reached: Position,
  ): Promise<void> {
    let [top, last] = [START, reached];
    for await (const event of read(client, END, until, 1)) top = positionIn(event);
    for await (const event of ourEvents(client, this.streams, reached, until))
      last = positionIn(event);
    this.#known = { top, last };
    this.#cutOff = undefined;
  }

  async #search(client: EventStoreDBClient, until: number, from?: Searched): Promise<Position> {
    let { top, bottom } = { ...from };
    const found = (last: Position): Position => {
      this.#known = { top: top ?? START, last };
      this.#cutOff = undefined;
      return last;
    };
    try {
      for await (const event of backwards(client, bottom, until)) {
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

/** Reads our events after a position, up to those that the log has at the call. @throws Silence at `until`. */
export async function* ourEvents(
  client: EventStoreDBClient,
  streams: OwnStreams,
  after: Position,
  until: number,
): AsyncIterable<ReceivedEvent> {
  const from = { fromPosition: placeInLog(after), filter: streams.filter() };
  const incoming = new Incoming(client.subscribeToAll({ ...from, requiresLeader: true }));
  try {
    // Later the server may be silent, while it passes over the events of others.
    await incoming.begun(Math.min(BEGUN_WITHIN_MS, until - performance.now()));
    while (await incoming.backlog(until - performance.now())) {
      for (let event = incoming.take(); event; event = incoming.take())
        if (streams.isOurs(event)) yield event;
      if (performance.now() > until) throw new Silence('the search takes too long');
    }
  } finally {
    incoming.close();
  }
}

/** Reads all events before a position, the last one first. Default: from the end, and the last event by itself. */
async function* backwards(
  client: EventStoreDBClient,
  before: Position | undefined,
  until: number,
): AsyncIterable<ReceivedEvent> {
  let position = before;
  if (position === undefined) {
    for await (const event of read(client, END, until, 1)) {
      yield event;
      position = positionIn(event);
    }
  }
  if (position !== undefined) yield* read(client, placeInLog(position), until);
}

async function* read(
  client: EventStoreDBClient,
  fromPosition: ReadPosition,
  until: number,
  maxCount = Number.MAX_SAFE_INTEGER,
): AsyncIterable<ReceivedEvent> {
  const options = { direction: BACKWARDS, fromPosition, maxCount, requiresLeader: true } as const;
  const incoming = new Incoming(client.readAll(options));
  try {
    while (await incoming.arrived(until - performance.now())) {
      for (let event = incoming.take(); event; event = incoming.take()) yield event;
      if (performance.now() > until) throw new Silence('the search for the head takes too long');
    }
  } finally {
    incoming.close();
  }
}
