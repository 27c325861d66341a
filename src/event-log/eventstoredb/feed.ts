import { streamNameFilter } from '@eventstore/db-client';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Unavailable } from '../../kernel/errors.js';
import { type Position, START } from '../../kernel/position.js';
import type { EventBatch } from '../event-log.js';
import { Batch } from './batch.js';
import type { Connection } from './connection.js';
import { isSilence, mayPass, refused, SubscriptionEnded, TimedOut } from './faults.js';
import { Incoming } from './incoming.js';
import type { OwnStreams } from './own-streams.js';
import { pause, pauses } from './pause.js';
import { placeInLog } from './positions.js';

/** Short: requests wait for what a subscription brings. */
const LONGEST_PAUSE_MS = 1_000;
/** How long a subscription may take to begin. */
const BEGIN_WITHIN_MS = 3_000;
/** Events of others that the server passes over at a time, and after how many such times it says that it still does. */
const SEARCH_WINDOW = 1_000;
const SIGN_EVERY = 10;

/** What a feed is asked for. */
export interface FeedOptions {
  readonly signal: AbortSignal;
  readonly types?: readonly string[] | undefined;
  /** How long it tries in vain before it gives up. Absent: for ever. */
  readonly patienceMs?: number;
  readonly observer?: FeedObserver;
}

/** Learns that a feed lost the server, and that it has it again. */
export interface FeedObserver {
  lost(error: unknown): void;
  regained(): void;
}

/** Our events as the server sends them, again from where they were taken when it falls silent or away. */
export class Feed {
  readonly #open = new Set<Incoming>();

  constructor(
    private readonly connection: Connection,
    private readonly streams: OwnStreams,
    private readonly holds: (position: Position) => Promise<boolean>,
  ) {}

  /** The server does not answer other calls: subscriptions may be as silent, and are made again. */
  doubt(): void {
    this.connection.silent(performance.now());
    for (const incoming of this.#open) incoming.breakOff(new TimedOut(0));
  }

  /**
   * Everything after a position in the batches it arrives in, and what comes then, until `signal` aborts.
   * @throws Unavailable when its patience is over; an Error when the log no longer holds the position it is at.
   */
  async *batches(
    after: Position,
    { signal, types, patienceMs, observer }: FeedOptions,
  ): AsyncIterable<EventBatch> {
    const backoff = pauses(LONGEST_PAUSE_MS);
    let position = after;
    let lost = false;
    let lastSign = performance.now();
    const sign = (): void => {
      lastSign = performance.now();
    };
    while (!signal.aborted) {
      let incoming: Incoming | undefined;
      const began = performance.now();
      try {
        incoming = await this.#subscribe(position, signal, sign);
        this.connection.answered(began);
        this.#open.add(incoming);
        if (lost) observer?.regained();
        lost = false;
        for (;;) {
          const batch = await nextBatch(
            new Batch(this.streams, types),
            incoming,
            patienceMs,
            signal,
          );
          if (!batch) break;
          yield batch;
          position = batch.reached;
          sign();
          backoff.reset();
        }
      } catch (error) {
        if (!mayPass(error)) throw refused(error);
        if (isSilence(error) && !incoming) this.connection.silent(began);
        const vain = performance.now() - lastSign;
        if (patienceMs !== undefined && vain > patienceMs)
          throw new Unavailable('event log', error);
        if (!lost) observer?.lost(error);
        lost = true;
      } finally {
        if (incoming) this.#open.delete(incoming);
        incoming?.close();
      }
      await pause(backoff, signal);
    }
  }

  /**
   * Subscribes after a position, if the log that answers holds it: a server would pass over what it does not have.
   * @param onSearch told now and then while the server passes over events of others.
   */
  async #subscribe(after: Position, signal: AbortSignal, onSearch: () => void): Promise<Incoming> {
    const filter = streamNameFilter({
      prefixes: [this.streams.prefix],
      maxSearchWindow: SEARCH_WINDOW,
      checkpointInterval: SIGN_EVERY,
      // Not kept: a checkpoint is where no event of ours need be, and some servers send one that is no place at all.
      checkpointReached: () => {
        onSearch();
        incoming.alive();
      },
    });
    const fromPosition = placeInLog(after);
    const subscription = this.connection.client.subscribeToAll({
      fromPosition,
      filter,
      requiresLeader: true,
    });
    const incoming = new Incoming(subscription);
    try {
      await incoming.begun(this.connection.patience(BEGIN_WITHIN_MS), signal);
      if (await this.holds(after)) return incoming;
      throw new Error(
        `the event log does not hold position ${after}: it was wiped, restored from an older copy, or is another one`,
      );
    } catch (error) {
      incoming.close();
      throw error;
    }
  }
}

/** What has arrived, or is just arriving; waits for the first of it. @returns undefined when `signal` aborted. */
async function nextBatch(
  batch: Batch,
  incoming: Incoming,
  withinMs: number | undefined,
  signal: AbortSignal,
): Promise<EventBatch | undefined> {
  while (batch.reached === START) {
    if (!(await incoming.arrived(withinMs, signal))) {
      if (signal.aborted) return undefined;
      throw new SubscriptionEnded();
    }
    batch.fill(incoming);
    while (!batch.full) {
      await nextTurn();
      if (!incoming.waiting) break;
      batch.fill(incoming);
    }
  }
  const { events, reached } = batch;
  return { events, reached };
}
