import { setMaxListeners } from 'node:events';
import { type EventStoreDBClient, StreamNotFoundError } from '@eventstore/db-client';
import { LinkedAbort } from '../../../kernel/linked-abort.js';
import { distanceTo, type Position, START } from '../../../kernel/position.js';
import { SharedRead } from '../../../kernel/shared-read.js';
import {
  followersOf,
  type AppendResult,
  type EventBatch,
  type EventLog,
  type ExpectedRevision,
  type LogIdentity,
  type FollowOptions,
  type StoredEvent,
  type StreamPage,
  type RecordedEvent,
} from '../event-log.js';
import { Appender } from './appender.js';
import { Batch } from './batch.js';
import { Calls } from './calls.js';
import { Connection, credentialsOf } from './connection.js';
import { isNoPlace, TimedOut } from './faults.js';
import { Feed } from './feed.js';
import { Incoming } from './incoming.js';
import { LastEvent } from './last-event.js';
import { isPosition, placeInLog } from './positions.js';
import { OwnStreams } from './own-streams.js';
import { positionIn, type ReceivedEvent } from './records.js';

/** The most appends and reads at once: together well under the 100 calls that fit on one connection. */
const APPENDS_AT_ONCE = 48;
const READS_AT_ONCE = 32;
/** How long one attempt may take. The server gives an append up after 2 s, and should answer before this limit. */
const ATTEMPT_MS = 3_000;
/** How long a call is repeated: long enough for a cluster to elect a leader, which takes about 5 s. */
const DEADLINE_MS = 8_000;
const PAGE_EVENTS = 1_000;
/** An option that only the client of the subscriptions gets, so that the two clients do not share a connection. */
const OWN_CONNECTION = { keepAliveInterval: 10_001 };

/** The default prefix of stream names, for an installation that has a server to itself. */
export const STREAM_PREFIX = 'keyledger';

/** Options of an event log on EventStoreDB. */
export interface EventStoreDbOptions {
  /** How long an operation is repeated before the log counts as unavailable. */
  readonly deadlineMs?: number;
  readonly attemptMs?: number;
  /** The first part of the names of our streams (docs/settings.md). */
  readonly streamPrefix?: string;
}

/**
 * The event log on an EventStoreDB server or cluster, which may serve other services too. Our streams have a prefix,
 * and the log skips events of other streams. A position is always the position of one of our events.
 */
export class EventStoreDbEventLog implements EventLog {
  readonly #client: EventStoreDBClient;
  readonly #subscriptions: EventStoreDBClient;
  readonly #reads: Calls;
  readonly #appender: Appender;
  readonly #streams: OwnStreams;
  readonly #head: SharedRead<Position>;
  readonly #feed: Feed;
  readonly #patienceMs: number;
  #identity: LogIdentity | undefined;
  readonly #closing = new AbortController();

  /** Connects at the first call. */
  constructor(
    connectionString: string,
    {
      deadlineMs = DEADLINE_MS,
      attemptMs = ATTEMPT_MS,
      streamPrefix = STREAM_PREFIX,
    }: EventStoreDbOptions = {},
  ) {
    this.#streams = new OwnStreams(streamPrefix);
    const { signal } = this.#closing;
    // Every call under way may listen to this signal.
    setMaxListeners(0, signal);
    const connection = new Connection(connectionString, {}, () => this.#feed.doubt());
    const subscriptions = new Connection(connectionString, OWN_CONNECTION);
    this.#client = connection.client;
    this.#subscriptions = subscriptions.client;
    const limits = { attemptMs, deadlineMs };
    this.#reads = new Calls({ atOnce: READS_AT_ONCE, ...limits }, connection, signal);
    this.#appender = new Appender(
      this.#client,
      credentialsOf(connectionString),
      new Calls({ atOnce: APPENDS_AT_ONCE, ...limits }, connection, signal),
      this.#streams,
      (stream, revision) => this.#positionAt(stream, revision),
    );
    const lastEvent = new LastEvent(this.#client, this.#streams);
    this.#head = new SharedRead(() => this.#reads.run((withinMs) => lastEvent.find(withinMs)));
    this.#feed = new Feed(subscriptions, this.#streams, {
      holds: (position) => this.#holds(position),
      restOfAppend: (event) => this.#restOfAppend(event),
    });
    this.#patienceMs = deadlineMs;
  }

  append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
    onRetry?: () => void,
  ): Promise<AppendResult> {
    return this.#appender.append(stream, events, expected, onRetry);
  }

  readStream(stream: string, from = 0): Promise<StreamPage> {
    return this.#reads.run((withinMs) => this.#readPage(stream, from, PAGE_EVENTS, withinMs));
  }

  async *follow(
    after: Position,
    signal: AbortSignal,
    { types }: FollowOptions = {},
  ): AsyncIterable<EventBatch> {
    const over = new LinkedAbort(signal, this.#closing.signal);
    const options = { signal: over.signal, types };
    let position = after;
    try {
      // If the head is unknown, the second subscription finds the same events, but receives events of all types.
      const until = types && (await this.head().catch(() => undefined));
      if (until !== undefined && position < until) {
        for await (const batch of this.#feed.batches(position, { ...options, until })) {
          yield batch;
          position = batch.reached;
        }
      }
      yield* this.#feed.batches(position, options);
    } finally {
      over.unlink();
    }
  }

  async ping(): Promise<void> {
    await this.head();
  }

  head(): Promise<Position> {
    return this.#head.read();
  }

  async identity(): Promise<LogIdentity | null> {
    const known = this.#identity;
    if (
      known &&
      (await this.#reads.run((withinMs) => this.#eventFrom(known.position, withinMs)))?.id ===
        known.id
    )
      return known;
    const first = await this.#first();
    this.#identity = first && { id: first.id, position: first.position };
    return this.#identity ?? null;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.all([this.#client.dispose(), this.#subscriptions.dispose()]);
  }

  async #readPage(
    stream: string,
    from: number,
    maxCount: number,
    withinMs: number,
  ): Promise<StreamPage> {
    const options = { fromRevision: BigInt(from), maxCount, requiresLeader: true };
    const incoming = new Incoming(this.#client.readStream(this.#streams.onServer(stream), options));
    try {
      const page = new Batch(this.#streams, START);
      // A server may also send a page event by event, without an end.
      const until = performance.now() + this.#patienceMs;
      while (!page.isFull) {
        const leftMs = until - performance.now();
        if (leftMs <= 0) throw new TimedOut(this.#patienceMs);
        if (!(await incoming.arrived(Math.min(withinMs, leftMs)))) break;
        page.fill(incoming);
      }
      const { events, isFull } = page;
      return { events, more: isFull || events.length === maxCount };
    } catch (error) {
      if (error instanceof StreamNotFoundError) return { events: [], more: false };
      throw error;
    } finally {
      incoming.close();
    }
  }

  async #positionAt(stream: string, revision: number): Promise<Position> {
    const page = await this.#reads.run((withinMs) => this.#readPage(stream, revision, 1, withinMs));
    const position = page.events[0]?.position;
    if (position === undefined)
      throw new Error(`stream ${stream} was truncated by another program`);
    return position;
  }

  async #restOfAppend(event: RecordedEvent): Promise<RecordedEvent[]> {
    const { stream, revision } = event;
    const rest: RecordedEvent[] = [];
    for (let more = followersOf(event); more > 0; more = followersOf(event) - rest.length) {
      const from = revision + 1 + rest.length;
      const page = await this.#reads.run((withinMs) =>
        this.#readPage(stream, from, more, withinMs),
      );
      if (page.events.length === 0) break;
      rest.push(...page.events);
    }
    return rest;
  }

  async #first(): Promise<RecordedEvent | undefined> {
    const until = await this.head();
    if (until === START) return undefined;
    const { signal } = this.#closing;
    for await (const { events } of this.#feed.batches(START, { signal, until })) {
      if (events[0]) return events[0];
    }
    return undefined;
  }

  /** Whether the position may belong to this log: the event at its place is not another one. */
  async #holds(position: Position): Promise<boolean> {
    if (position === START) return true;
    if (!isPosition(position)) return false;
    const event = await this.#reads.run((withinMs) => this.#eventFrom(position, withinMs));
    if (!event) return false;
    const found = positionIn(event);
    return distanceTo(found) !== distanceTo(position) || found === position;
  }

  /** Returns the event at a position, or else the next event; undefined when the log has no such position. */
  async #eventFrom(position: Position, withinMs: number): Promise<ReceivedEvent | undefined> {
    const options = { fromPosition: placeInLog(position), maxCount: 1, requiresLeader: true };
    const incoming = new Incoming(this.#client.readAll(options));
    try {
      return (await incoming.arrived(withinMs)) ? incoming.take() : undefined;
    } catch (error) {
      if (isNoPlace(error)) return undefined;
      throw error;
    } finally {
      incoming.close();
    }
  }
}
