import { setMaxListeners } from 'node:events';
import {
  type AppendResult as ServerResult,
  type Credentials,
  type EventStoreDBClient,
  type JSONEventData,
  NO_STREAM,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { Unavailable } from '../../../kernel/errors.js';
import { inTime } from '../../waiting/in-time.js';
import { LinkedAbort } from '../../waiting/linked-abort.js';
import { pause } from '../../waiting/pause.js';
import { distanceTo, type Position, START } from '../../../kernel/position.js';
import { SharedRead } from '../../waiting/shared-read.js';
import { sizeOf } from '../../../kernel/sizes.js';
import {
  type AppendResult,
  ConflictError,
  type EventBatch,
  type EventLog,
  type ExpectedRevision,
  type LogIdentity,
  type RecordedEvent,
  type StoredEvent,
  type StreamPage,
  withFollowers,
} from '../event-log.js';
import { RetriedCalls } from './retried-calls.js';
import { ATTEMPT_MS, Connection, credentialsOf } from './connection.js';
import { isNoPlace, Silence } from './faults.js';
import { Subscriptions } from './subscription.js';
import { HeadSearch, ourEvents } from './head-search.js';
import { receive } from './streamed-call.js';
import {
  OwnStreams,
  placeInLog,
  positionIn,
  positionOf,
  encodeAppend,
  type ReceivedEvent,
} from './stored-form.js';

/** The most appends and reads at once: together well under the 100 calls of a connection. */
const APPENDS_AT_ONCE = 48;
const READS_AT_ONCE = 32;
/** How far an append may overrun the client's deadline, which omits its search for the leader. */
const LAST_RESORT_MS = 500;
/** How long a call is repeated: enough for a cluster to elect a leader, which takes about 5 s. */
const DEADLINE_MS = 8_000;
/** How long `ping` waits when it can say why no leader is found. */
const KNOWN_FAULT_MS = 500;
/** How often `ping` checks for a fault. A client takes over a second to report a lost cluster. */
const FAULT_LOOKS = 4;
const PAGE_EVENTS = 1_000;
/** The most event data in a page, roughly, in bytes of memory. */
const PAGE_BYTES = 2_000_000;

/** The default prefix of stream names, for an installation that has a server to itself. */
export const STREAM_PREFIX = 'keyledger';

/**
 * The event log on an EventStoreDB server or cluster, which may serve other services too. Our
 * streams have a prefix, and the log skips events of others. A position is always one of ours.
 */
export class EventStoreDbEventLog implements EventLog {
  readonly #connection: Connection;
  /** With credentials the client sends each append as a call with a deadline, not in a batch. */
  readonly #credentials: Credentials;
  readonly #reads: RetriedCalls;
  readonly #appends: RetriedCalls;
  readonly #streams: OwnStreams;
  readonly #head: SharedRead<Position>;
  readonly #subscriptions: Subscriptions;
  #identity: LogIdentity | null = null;
  /** The last position of ours that a caller knows of. */
  #reached = START;
  #hasAsked = false;
  readonly #closing = new AbortController();

  /**
   * @param streamPrefix the first part of the names of our streams (docs/settings.md).
   * @param stored returns a position of ours that a store knows of. The log asks once, before its
   * first search for its end, which without such a position may read all that others have written.
   */
  constructor(
    connectionString: string,
    streamPrefix = STREAM_PREFIX,
    stored: () => Promise<Position> = () => Promise.resolve(START),
    readonly part = 'event log',
  ) {
    const { signal } = this.#closing;
    // Every call under way may listen to this signal.
    setMaxListeners(0, signal);
    const beginAgain = (): void => this.#subscriptions.beginAgain();
    this.#connection = new Connection(connectionString, beginAgain, part);
    this.#credentials = credentialsOf(connectionString);
    const calls = (atOnce: number): RetriedCalls => {
      const limits = { atOnce, attemptMs: ATTEMPT_MS, deadlineMs: DEADLINE_MS };
      return new RetriedCalls(limits, this.#connection, signal);
    };
    this.#reads = calls(READS_AT_ONCE);
    this.#appends = calls(APPENDS_AT_ONCE);
    this.#streams = new OwnStreams(streamPrefix);
    const has = async (position: Position): Promise<boolean> => {
      const event = await this.#eventFrom(position);
      return event !== undefined && positionIn(event) === position;
    };
    const head = new HeadSearch(this.#streams, () => this.#reached, has);
    this.#head = new SharedRead(async () => {
      if (!this.#hasAsked) this.#learn(await stored());
      this.#hasAsked = true;
      return this.#reads.run((client, withinMs) => head.find(client, withinMs));
    });
    const holds = (position: Position): Promise<boolean> => this.#holds(position);
    this.#subscriptions = new Subscriptions(this.#connection, this.#streams, holds);
  }

  /**
   * Repeats an append until its outcome is known, with the same event ids and expected revision. If
   * an earlier one was stored, the stream is past it: the server compares ids and reports success.
   */
  async append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
  ): Promise<AppendResult> {
    const name = this.#streams.onServer(stream);
    const ready = encodeAppend(withFollowers(events));
    const result = await this.#appends
      .run(
        (client, withinMs) => this.#appendOnce(client, name, ready, expected, withinMs),
        `append to streams that begin with ${this.#streams.prefix}`,
      )
      .catch((error: unknown) => {
        const isConflict = error instanceof WrongExpectedVersionError;
        throw isConflict ? new ConflictError(stream, expected) : error;
      });
    const revision = Number(result.nextExpectedRevision);
    const last = events.at(-1);
    if (result.position && last) {
      return { revision, position: positionOf(result.position, last.id) };
    }
    // The server does not name the position of a stored event that it has read from the disk.
    const [stored] = (await this.readStream(stream, revision)).events;
    if (!stored) throw new Error(`stream ${stream} was truncated by another program`);
    return { revision, position: stored.position };
  }

  async readStream(stream: string, from = 0): Promise<StreamPage> {
    const options = { fromRevision: BigInt(from), maxCount: PAGE_EVENTS, requiresLeader: true };
    const name = this.#streams.onServer(stream);
    const page = async (client: EventStoreDBClient, withinMs: number): Promise<StreamPage> => {
      // A server may also send a page event by event, without an end.
      const until = performance.now() + DEADLINE_MS;
      const events: RecordedEvent[] = [];
      let bytes = 0;
      try {
        for await (const event of receive(client.readStream(name, options), withinMs)) {
          if (!this.#streams.isOurs(event)) continue;
          events.push(this.#streams.recordedEvent(event));
          bytes += sizeOf(event.data);
          if (bytes >= PAGE_BYTES) break;
          if (performance.now() > until) throw Silence.after(DEADLINE_MS);
        }
      } catch (error) {
        if (!(error instanceof StreamNotFoundError)) throw error;
      }
      return { events, more: bytes >= PAGE_BYTES || events.length === PAGE_EVENTS };
    };
    return this.#reads.run(page, `read streams that begin with ${this.#streams.prefix}`);
  }

  async *follow(after: Position, signal: AbortSignal): AsyncIterable<EventBatch> {
    const over = new LinkedAbort(signal, this.#closing.signal);
    try {
      yield* this.#subscriptions.batches(after, over.signal);
    } finally {
      over.unlink();
    }
  }

  async ping(): Promise<void> {
    const answer = this.#eventFrom(START);
    // A probe waits for less long than a call does.
    const known = async (): Promise<unknown> => {
      for (let looks = 0; looks < FAULT_LOOKS; looks += 1) {
        await pause(KNOWN_FAULT_MS, this.#closing.signal);
        const { fault } = this.#connection;
        if (fault) throw new Unavailable(this.part, fault);
      }
      return answer;
    };
    await Promise.race([answer, known()]);
  }

  head(reached: Position = START): Promise<Position> {
    this.#learn(reached);
    return this.#head.read();
  }

  async identity(): Promise<LogIdentity | null> {
    const known = this.#identity;
    if (known && (await this.#eventFrom(known.position))?.id === known.id) return known;
    this.#identity = await this.#reads.run((client) => this.#first(client));
    return this.#identity;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connection.close();
  }

  #learn(reached: Position): void {
    if (reached > this.#reached) this.#reached = reached;
  }

  async #first(client: EventStoreDBClient): Promise<LogIdentity | null> {
    for await (const event of ourEvents(client, this.#streams, START)) {
      const { id, position, stream } = this.#streams.recordedEvent(event);
      return { id, position, stream };
    }
    return null;
  }

  async #appendOnce(
    client: EventStoreDBClient,
    name: string,
    events: JSONEventData[],
    expected: ExpectedRevision,
    withinMs: number,
  ): Promise<ServerResult> {
    const appended = client.appendToStream(name, events, {
      expectedRevision: expected === 'no-stream' ? NO_STREAM : BigInt(expected),
      credentials: this.#credentials,
      requiresLeader: true,
      deadline: withinMs,
    });
    const lastMs = withinMs + LAST_RESORT_MS;
    return inTime(appended, lastMs, () => Silence.after(lastMs));
  }

  /** Whether the position may belong to this log: the event at its place is not another one. */
  async #holds(position: Position): Promise<boolean> {
    if (position === START) return true;
    const event = await this.#eventFrom(position);
    if (!event) return false;
    const found = positionIn(event);
    return distanceTo(found) !== distanceTo(position) || found === position;
  }

  /** Returns the event at a position, or else the next; undefined when the log lacks the place. */
  #eventFrom(position: Position): Promise<ReceivedEvent | undefined> {
    const options = { fromPosition: placeInLog(position), maxCount: 1, requiresLeader: true };
    return this.#reads.run(async (client, withinMs) => {
      try {
        for await (const event of receive(client.readAll(options), withinMs)) return event;
      } catch (error) {
        if (!isNoPlace(error)) throw error;
      }
      return undefined;
    });
  }
}
