import {
  type AppendResult as ServerResult,
  type Credentials,
  type EventStoreDBClient,
  type JSONEventData,
  NO_STREAM,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { inTime } from '../../kernel/in-time.js';
import type { Position } from '../../kernel/position.js';
import {
  type AppendResult,
  ConflictError,
  type ExpectedRevision,
  type StoredEvent,
} from '../event-log.js';
import type { Calls } from './calls.js';
import { mayPass, TimedOut, wasNotTried } from './faults.js';
import { positionOf } from './positions.js';
import { proposed, serverStream } from './records.js';

/** The server's own limit is 2 s; how much longer than the client's the last resort waits. */
const LAST_RESORT_MS = 500;

/**
 * Appends until the outcome is known. Every attempt has the same ids and the same expected revision: if an earlier one was
 * stored, the stream is past that revision, and then the server compares ids and answers as it did before.
 */
export class Appender {
  /** @param credentials with credentials of its own each append is a call with a deadline, and no part of a batch. */
  constructor(
    private readonly client: EventStoreDBClient,
    private readonly credentials: Credentials,
    private readonly calls: Calls,
    private readonly positionAt: (stream: string, revision: number) => Promise<Position>,
  ) {}

  async append(
    stream: string,
    events: readonly StoredEvent[],
    expected: ExpectedRevision,
    onRetry?: () => void,
  ): Promise<AppendResult> {
    const ready = proposed(events);
    const name = serverStream(stream);
    // Without a revision that the first attempt moved the stream past, a second one could be stored beside it.
    const again = expected === 'any' ? wasNotTried : mayPass;
    let attempts = 0;
    const attempt = (withinMs: number): Promise<ServerResult | null> => {
      if (attempts++ > 0) onRetry?.();
      return this.#attempt(name, ready, expected, withinMs);
    };
    const result = await this.calls.run(attempt, again);
    if (result?.success !== true) throw new ConflictError(stream, expected);
    const revision = Number(result.nextExpectedRevision);
    const last = events.at(-1);
    const position =
      result.position && last
        ? positionOf(result.position, last.id)
        : await this.positionAt(stream, revision);
    return { revision, position };
  }

  /** @returns null when the stream is not at the revision expected. */
  async #attempt(
    name: string,
    events: JSONEventData[],
    expected: ExpectedRevision,
    withinMs: number,
  ): Promise<ServerResult | null> {
    const appended = this.client.appendToStream(name, events, {
      expectedRevision: revisionOf(expected),
      credentials: this.credentials,
      requiresLeader: true,
      deadline: withinMs,
    });
    try {
      // Looking for the leader of a cluster has no part in the client's deadline.
      const lastMs = withinMs + LAST_RESORT_MS;
      return await inTime(appended, lastMs, () => new TimedOut(lastMs));
    } catch (error) {
      if (error instanceof WrongExpectedVersionError) return null;
      throw error;
    }
  }
}

function revisionOf(expected: ExpectedRevision): bigint | 'any' | typeof NO_STREAM {
  if (expected === 'no-stream') return NO_STREAM;
  return expected === 'any' ? 'any' : BigInt(expected);
}
