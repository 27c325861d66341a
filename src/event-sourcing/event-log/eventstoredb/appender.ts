import {
  type AppendResult as ServerResult,
  type Credentials,
  type EventStoreDBClient,
  type JSONEventData,
  NO_STREAM,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { inTime } from '../../../kernel/in-time.js';
import type { Position } from '../../../kernel/position.js';
import {
  type AppendResult,
  ConflictError,
  type ExpectedRevision,
  type StoredEvent,
  withFollowers,
} from '../event-log.js';
import type { Calls } from './calls.js';
import { TimedOut } from './faults.js';
import { positionOf } from './positions.js';
import type { OwnStreams } from './own-streams.js';
import { proposed } from './records.js';

/** How long an attempt may overrun the client's deadline before the appender ends the attempt. */
const LAST_RESORT_MS = 500;

/**
 * Repeats an append until its outcome is known. All attempts have the same event ids and expected revision. If an
 * earlier attempt was stored, the stream is past that revision. The server then compares event ids and reports success.
 */
export class Appender {
  /** @param credentials make the client send each append as a call with a deadline, and not as part of a batch. */
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly credentials: Credentials,
    private readonly calls: Calls,
    private readonly streams: OwnStreams,
    private readonly positionAt: (stream: string, revision: number) => Promise<Position>,
  ) {}

  async append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
    onRetry?: () => void,
  ): Promise<AppendResult> {
    const name = this.streams.onServer(stream);
    const ready = proposed(withFollowers(events));
    let attempts = 0;
    const attempt = (withinMs: number): Promise<ServerResult | ConflictError> => {
      if (attempts++ > 0) onRetry?.();
      return this.#attempt(name, ready, expected, withinMs).catch((error: unknown) => {
        if (!(error instanceof WrongExpectedVersionError)) throw error;
        return new ConflictError(stream, expected, actualRevision(error));
      });
    };
    const result = await this.calls.run(attempt);
    if (result instanceof ConflictError) throw result;
    const revision = Number(result.nextExpectedRevision);
    const last = events.at(-1);
    const position =
      result.position && last
        ? positionOf(result.position, last.id)
        : await this.positionAt(stream, revision);
    return { revision, position };
  }

  async #attempt(
    name: string,
    events: JSONEventData[],
    expected: ExpectedRevision,
    withinMs: number,
  ): Promise<ServerResult> {
    const appended = this.client.appendToStream(name, events, {
      expectedRevision: revisionOf(expected),
      credentials: this.credentials,
      requiresLeader: true,
      deadline: withinMs,
    });
    // The client's deadline does not cover its search for the leader of a cluster.
    const lastMs = withinMs + LAST_RESORT_MS;
    return inTime(appended, lastMs, () => new TimedOut(lastMs));
  }
}

function revisionOf(expected: ExpectedRevision): bigint | typeof NO_STREAM {
  return expected === 'no-stream' ? NO_STREAM : BigInt(expected);
}

/** Returns the stream's revision: -1 when the stream does not exist, undefined when the server reports no revision. */
function actualRevision({ actualVersion }: WrongExpectedVersionError): number | undefined {
  if (actualVersion === NO_STREAM) return -1;
  return typeof actualVersion === 'bigint' ? Number(actualVersion) : undefined;
}
