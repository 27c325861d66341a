import { BACKWARDS, END, type EventStoreDBClient, type ReadPosition } from '@eventstore/db-client';
import { type Position, START } from '../../../kernel/position.js';
import { isNoPlace, isSilence } from './faults.js';
import { receive } from './streamed-call.js';
import { type OwnStreams, placeInLog, positionIn, type ReceivedEvent } from './stored-form.js';

/** How many events of others a search reads before it lets the server pass over the rest. */
const NEAR = 5;
/** How many times as many events it reads backwards before it searches from the start again. */
const FURTHER = 4;
/** How many events of others a search reads at once, if the server cannot pass over them. */
const LARGEST_PAGE = 4_000;
/** How long the server may be silent as it passes over events of others, 1.5 million a second. */
const PASSING_OVER_MS = 20_000;

/** The part of the log that was searched: from `top`, which was its end, down to `bottom`. */
interface Searched {
  readonly top: Position;
  readonly bottom: Position;
}

/** How far a search forwards came. */
interface Forwards {
  readonly last: Position;
  /** Whether it came to the end of the log. */
  readonly isWhole: boolean;
}

/**
 * Finds our last event in a log that others write to as well. It searches backwards from the end,
 * down to where an earlier search began: that costs one small read while nobody writes, and never
 * misses an event. Behind more than a few events of others it searches forwards, where the server
 * sends ours alone: from the end that an earlier search saw, or from an event of ours. If it knows
 * neither, it takes turns: so many events backwards, and as many of ours from the start of the log.
 * Calls must run one after another, so that each knows what the one before found.
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
    let far = NEAR;
    /** The last of our events that searches from the start of the log have passed. */
    let ours = START;
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
        if (passed < far || this.#mustGoBack) continue;
        far *= FURTHER;
        this.#mustGoBack = true;
        const forwards = await this.#searchForwards(client, ours, passed);
        if (forwards?.isWhole === true) return conclude(forwards.last);
        if (!forwards) continue;
        ours = forwards.last;
        this.#mustGoBack = false;
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

  /**
   * Searches forwards from the latest place that is known, to the end of the log. If none is known,
   * searches on from `ours`, past `most` events at most.
   * @returns undefined when the log does not have the place any more.
   */
  async #searchForwards(
    client: EventStoreDBClient,
    ours: Position,
    most: number,
  ): Promise<Forwards | undefined> {
    const reached = this.reached();
    let { top: after, last } = this.#known;
    if (reached > after) after = last = reached;
    const isKnown = after !== START;
    if (isKnown && !(await this.has(after))) return undefined;
    if (!isKnown) after = last = ours;
    let count = 0;
    for await (const event of ourEvents(client, this.streams, after)) {
      last = positionIn(event);
      count += 1;
      if (!isKnown && count === most) return { last, isWhole: false };
    }
    return { last, isWhole: true };
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
