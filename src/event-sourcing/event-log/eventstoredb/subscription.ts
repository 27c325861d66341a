import { setImmediate as nextTurn } from 'node:timers/promises';
import { Backoff } from '../../waiting/backoff.js';
import type { Position } from '../../../kernel/position.js';
import { sizeOf } from '../../../kernel/sizes.js';
import {
  BATCH_BYTES,
  type EventBatch,
  followersOf,
  type RecordedEvent,
  UnheldPositionError,
} from '../event-log.js';
import { backOff } from './retried-calls.js';
import type { Connection } from './connection.js';
import { isNoPlace, isSilence, mayPass, finalError, Silence } from './faults.js';
import { StreamedCall } from './streamed-call.js';
import { type OwnStreams, placeInLog } from './stored-form.js';

const FIRST_PAUSE_MS = 25;
/** The longest pause between attempts: short, because requests wait for a subscription's events. */
const LONGEST_PAUSE_MS = 1_000;
/** The time to find the leader, for the server to begin, and between two events of an append. */
const SILENT_FOR_MS = 3_000;
const MOST_EVENTS = 1_000;

/** Subscriptions to our events. One that is lost or silent begins again after its last batch. */
export class Subscriptions {
  readonly #open = new Set<StreamedCall>();

  constructor(
    private readonly connection: Connection,
    private readonly streams: OwnStreams,
    private readonly holds: (position: Position) => Promise<boolean>,
  ) {}

  /** Begins all subscriptions again, because they may be silent. */
  beginAgain(): void {
    const fault = new Silence('another call on the connection got no answer');
    for (const call of this.#open) call.breakOff(fault);
  }

  /**
   * Delivers the events after a position, then new events, until `signal` aborts.
   * @throws UnheldPositionError when the log does not hold the position.
   */
  async *batches(after: Position, signal: AbortSignal): AsyncIterable<EventBatch> {
    const backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
    let position = after;
    while (!signal.aborted) {
      let call: StreamedCall | undefined;
      try {
        call = await this.#subscribe(position, signal);
        this.#open.add(call);
        for (;;) {
          const batch = await this.#nextBatch(position, call, signal);
          if (!batch) break;
          yield batch;
          position = batch.reached;
          backoff.reset();
        }
      } catch (error) {
        if (!mayPass(error)) throw finalError(error, this.connection.part);
      } finally {
        if (call) this.#open.delete(call);
        call?.close();
      }
      await backOff(backoff, signal);
    }
  }

  /**
   * Subscribes after a position, and checks that the log holds the position. If the log lacks the
   * position, the server skips all events before that position.
   */
  async #subscribe(after: Position, signal: AbortSignal): Promise<StreamedCall> {
    const fromPosition = placeInLog(after);
    await this.connection.leader(SILENT_FOR_MS);
    const began = performance.now();
    const filter = this.streams.filter();
    const call = new StreamedCall(
      this.connection.subscriber.subscribeToAll({ fromPosition, filter, requiresLeader: true }),
    );
    try {
      await call.waitForBeginning(SILENT_FOR_MS, signal);
      if (await this.holds(after)) return call;
      throw new UnheldPositionError(after);
    } catch (error) {
      call.close();
      if (isSilence(error)) this.connection.reportSilence(began);
      throw isNoPlace(error) ? new UnheldPositionError(after) : error;
    }
  }

  /**
   * Waits for an event, then returns all events that have arrived or are arriving, and the rest of
   * the append of the last one; undefined when `signal` aborted.
   */
  async #nextBatch(
    after: Position,
    call: StreamedCall,
    signal: AbortSignal,
  ): Promise<EventBatch | undefined> {
    const events: RecordedEvent[] = [];
    let reached = after;
    let bytes = 0;
    /** How many events of the last append have not arrived yet. */
    let missing = 0;
    while (missing > 0 || (events.length < MOST_EVENTS && bytes < BATCH_BYTES)) {
      const isWhole = events.length > 0 && missing === 0;
      if (isWhole && !call.hasEvent) await nextTurn();
      if (!call.hasEvent) {
        if (isWhole) break;
        const withinMs = missing > 0 ? SILENT_FOR_MS : undefined;
        const isOpen = await call.waitForEvent(withinMs, signal);
        if (signal.aborted) return undefined;
        if (!isOpen) throw new Silence('the server ended the subscription');
      }
      const received = call.take();
      if (!received || !this.streams.isOurs(received)) continue;
      const event = this.streams.recordedEvent(received);
      if (event.position <= reached) continue;
      reached = event.position;
      missing = followersOf(event);
      events.push(event);
      bytes += sizeOf(event.data);
    }
    return { events, reached };
  }
}
