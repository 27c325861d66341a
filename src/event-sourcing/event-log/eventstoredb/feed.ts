import { eventTypeFilter, streamNameFilter } from '@eventstore/db-client';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Position } from '../../../kernel/position.js';
import { type EventBatch, type RecordedEvent, UnheldPositionError } from '../event-log.js';
import { Batch } from './batch.js';
import type { Connection } from './connection.js';
import {
  ConnectionSilent,
  isNoPlace,
  isSilence,
  mayPass,
  refused,
  SubscriptionEnded,
} from './faults.js';
import { Incoming } from './incoming.js';
import type { OwnStreams } from './own-streams.js';
import { pause, pauses } from './pause.js';
import { placeInLog } from './positions.js';

/** The longest pause between attempts. It is short, because requests wait for the events of a subscription. */
const LONGEST_PAUSE_MS = 1_000;
/** How long a subscription may take to begin. */
const BEGIN_WITHIN_MS = 3_000;
/** How many unwanted events the server skips in one window, and after how many windows it sends a sign of life. */
const SEARCH_WINDOW = 1_000;
const SIGN_EVERY = 10;

export interface FeedOptions {
  readonly signal: AbortSignal;
  /** The types of the wanted events. Default: all types. */
  readonly types?: readonly string[] | undefined;
  /** An earlier head of the log, where the feed ends. With `until`, the server filters by `types`. Default: no end. */
  readonly until?: Position | undefined;
}

/** The methods of the log that a feed calls. */
export interface LogOfFeed {
  holds(position: Position): Promise<boolean>;
  /** Returns the events that follow an event in its append. */
  restOfAppend(event: RecordedEvent): Promise<RecordedEvent[]>;
}

/** Subscriptions to our events. A subscription that is lost or silent begins again after the last delivered batch. */
export class Feed {
  readonly #open = new Set<Incoming>();

  constructor(
    private readonly connection: Connection,
    private readonly streams: OwnStreams,
    private readonly log: LogOfFeed,
  ) {}

  /** Begins all subscriptions again after another call got no answer, because the subscriptions may be silent too. */
  doubt(): void {
    this.connection.silent(performance.now());
    for (const incoming of this.#open) incoming.breakOff(new ConnectionSilent());
  }

  /**
   * Delivers the events after a position, then new events, until `signal` aborts or all events up to `until` are read.
   * @throws UnheldPositionError when the log does not hold the position.
   */
  async *batches(after: Position, options: FeedOptions): AsyncIterable<EventBatch> {
    const { signal, until } = options;
    const backoff = pauses(LONGEST_PAUSE_MS);
    let position = after;
    while (!signal.aborted) {
      let incoming: Incoming | undefined;
      const began = performance.now();
      try {
        incoming = await this.#subscribe(position, options);
        this.connection.answered(began);
        this.#open.add(incoming);
        for (;;) {
          const batch = await this.#nextBatch(position, incoming, options);
          if (!batch) break;
          yield batch;
          position = batch.reached;
          if (until !== undefined && position >= until) return;
          backoff.reset();
        }
      } catch (error) {
        if (!mayPass(error)) throw refused(error);
        if (isSilence(error) && !incoming) this.connection.silent(began);
      } finally {
        if (incoming) this.#open.delete(incoming);
        incoming?.close();
      }
      await pause(backoff, signal);
    }
  }

  /**
   * Subscribes after a position, and checks that the log holds the position. If the log lacks the position, the server
   * skips all events before that position.
   */
  async #subscribe(after: Position, { signal, types, until }: FeedOptions): Promise<Incoming> {
    // Checkpoints are ignored: perhaps no event of ours is there, and some servers send an invalid checkpoint.
    const signs = { maxSearchWindow: SEARCH_WINDOW, checkpointInterval: SIGN_EVERY };
    // A subscription without an end gets events of all types, because every event moves the head.
    const filter =
      types && until !== undefined
        ? eventTypeFilter({ prefixes: [...types], ...signs })
        : streamNameFilter({ prefixes: [this.streams.prefix], ...signs });
    const subscription = this.connection.client.subscribeToAll({
      fromPosition: placeInLog(after),
      filter,
      requiresLeader: true,
    });
    const incoming = new Incoming(subscription);
    try {
      await incoming.begun(this.connection.patience(BEGIN_WITHIN_MS), signal);
      if (await this.log.holds(after)) return incoming;
      throw new UnheldPositionError(after);
    } catch (error) {
      incoming.close();
      throw isNoPlace(error) ? new UnheldPositionError(after) : error;
    }
  }

  /** Waits for an event, then returns all events that have arrived or are arriving; undefined when `signal` aborted. */
  async #nextBatch(
    after: Position,
    incoming: Incoming,
    { signal, types, until }: FeedOptions,
  ): Promise<EventBatch | undefined> {
    const batch = new Batch(this.streams, after, types);
    while (batch.isEmpty) {
      const hasArrived =
        until === undefined
          ? await incoming.arrived(undefined, signal)
          : await incoming.arrivedOrCaughtUp(signal);
      if (!hasArrived) {
        if (signal.aborted) return undefined;
        throw new SubscriptionEnded();
      }
      if (until !== undefined && !incoming.waiting) return { events: [], reached: until };
      let isComplete = batch.fill(incoming);
      while (!isComplete) {
        await nextTurn();
        if (!incoming.waiting) break;
        isComplete = batch.fill(incoming);
      }
    }
    if (batch.open) for (const event of await this.log.restOfAppend(batch.open)) batch.add(event);
    const { events, reached } = batch;
    return { events, reached };
  }
}
