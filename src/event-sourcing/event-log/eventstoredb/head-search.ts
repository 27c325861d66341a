import { BACKWARDS, END, type EventStoreDBClient, type ReadPosition } from '@eventstore/db-client';
import { type Position, START } from '../../../kernel/position.js';
import { isNoPlace, isSilence } from './faults.js';
import { receive } from './streamed-call.js';
import { type OwnStreams, placeInLog, positionIn, type ReceivedEvent } from './stored-form.js';

/** How many events of others a search reads before it lets the server pass over the rest. */
const NEAR = 5;
/** How many events of others a search reads at once, if the server cannot pass over them. */
const LARGEST_PAGE = 4_000;
/** How long the server may be silent as it passes over events of others, 1.5 million a second. */
const PASSING_OVER_MS = 20_000;

/** The part of the log that was searched: from `top`, which was its end, down to `bottom`. */
interface Searched {
  readonly top: Position;
  readonly bottom: Position;
}

/**
 * Finds our last event in a log that others write to as well. It searches backwards from the end,
 * down to where an earlier search began: that costs one small read while nobody writes, and never
 * misses an event. Behind more than a few events of others it searches forwards, where the server
 * sends ours alone: from the end that an earlier search saw, or from an event of ours. Calls must
 * run one after another, so that each knows what the one before found.
 */
export class HeadSearch {
  /** Our last event of the log up to `top`. */
  #known = { top: START, last: START };
  /** A search that was cut off before it found an event of ours. */
  #cutOff: Searched | undefined;
  /** Whether a search forwards was in vain since the last event. Old servers hide where it ends. */
  #mustGoBack = false;

  /**
   * @param reached a position of ours that is known, the later the better.
   * @param has whether the log has the very event of a position.
   */
  constructor(
    private readonly streams: OwnStreams,
    private readonly reached: () => Position,
    private readonly has: (position: Position) => Promise<boolean>,
  ) {}

  /**
   * @param withinMs how long the server may be silent.
   * @throws the fault that ends a search early. The next call continues the search there.
   */
  async find(client: EventStoreDBClient, withinMs: number): Promise<Position> {
    if (this.#cutOff) await this.#search(client, withinMs, this.#cutOff);
    return this.#search(client, withinMs);
  }

  async #search(client: EventStoreDBClient, withinMs: number, from?: Searched): Promise<Position> {
    let top = from?.top;
    let bottom = from?.bottom;
    let passed = 0;
    const conclude = (last: Position): Position => {
      this.#known = { top: top ?? START, last };
      this.#cutOff = undefined;
      this.#mustGoBack = false;
      return last;
    };
    try {
      for await (const event of backwards(client, bottom, withinMs)) {
        bottom = positionIn(event);
        top ??= bottom;
        if (this.streams.isOurs(event)) return conclude(bottom);
        if (bottom === this.#known.top) return conclude(this.#known.last);
        passed += 1;
        if (passed < NEAR || this.#mustGoBack) continue;
        this.#mustGoBack = true;
        const last = await this.#searchForwards(client);
        if (last !== undefined) return conclude(last);
      }
      return conclude(START);
    } catch (error) {
      if (!isSilence(error)) this.#mustGoBack = false;
      // A log that no longer has the place was wiped.
      if (isNoPlace(error)) this.#cutOff = undefined;
      else if (top !== undefined && bottom !== undefined) this.#cutOff = { top, bottom };
      throw error;
    }
  }

  /** Returns our last event; undefined when there is no known place to search forwards from. */
  async #searchForwards(client: EventStoreDBClient): Promise<Position | undefined> {
    const reached = this.reached();
    let { top: after, last } = this.#known;
    if (reached > after) after = last = reached;
    if (after === START) return (await this.#isEmpty(client)) ? START : undefined;
    if (!(await this.has(after))) return undefined;
    for await (const event of ourEvents(client, this.streams, after)) last = positionIn(event);
    return last;
  }

  async #isEmpty(client: EventStoreDBClient): Promise<boolean> {
    for await (const _ of ourEvents(client, this.streams, START)) return false;
    return true;
  }
}

/** Takes our events after a position, up to those that the log has at the call. */
export async function* ourEvents(
  client: EventStoreDBClient,
  streams: OwnStreams,
  after: Position,
): AsyncIterable<ReceivedEvent> {
  const options = { fromPosition: placeInLog(after), filter: streams.filter() };
  const subscription = client.subscribeToAll({ ...options, requiresLeader: true });
  for await (const event of receive(subscription, PASSING_OVER_MS)) {
    if (streams.isOurs(event)) yield event;
  }
}

/**
 * Reads all events before a position, the last one first. Default: from the end. The pages grow,
 * because the server sends the whole of a page, also when the first event of it is the one that is
 * looked for.
 */
async function* backwards(
  client: EventStoreDBClient,
  before: Position | undefined,
  withinMs: number,
): AsyncIterable<ReceivedEvent> {
  let fromPosition: ReadPosition = before === undefined ? END : placeInLog(before);
  for (let maxCount = 1; ; maxCount = Math.min(maxCount * 4, LARGEST_PAGE)) {
    const options = { direction: BACKWARDS, fromPosition, maxCount, requiresLeader: true } as const;
    let count = 0;
    for await (const event of receive(client.readAll(options), withinMs)) {
      yield event;
      fromPosition = placeInLog(positionIn(event));
      count += 1;
    }
    if (count < maxCount) return;
  }
}
