import { setImmediate as nextTurn } from 'node:timers/promises';
import { Unavailable } from '../../kernel/errors.js';
import { inTime } from '../waiting/in-time.js';
import type { Position } from '../../kernel/position.js';
import { SharedRead } from '../waiting/shared-read.js';
import {
  type EventBatch,
  type EventLog,
  type RecordedEvent,
  UnheldPositionError,
} from './event-log.js';

/** How often the follower checks the log for events. A request may cause a check in between. */
const LOOKS_EVERY_MS = 250;

/** How long nobody asks until the follower checks less often, because each check has a cost. */
const IDLE_AFTER_MS = 30_000;

/** The age of the memory from which it checks then: every 750 ms (docs/api.md 12.3). */
const IDLE_AGE_MS = 600;

/** How long a decision waits for a check of the log. */
const DECISION_LOOK_MS = 1_000;

/** How long a subscription's first events may take: the server may pass over many of others. */
const FIRST_EVENTS_MS = 20_000;

/** How long later events that exist may take before the subscription counts as silent. */
const NEXT_EVENTS_MS = 1_000;

/** How long the memory may apply events in one turn of the event loop. */
const TURN_MS = 5;

/** Values in memory that events change. */
export interface FollowingMemory {
  /** Drops or changes each value that an event may change. It also gets events of unknown types. */
  apply(event: RecordedEvent): void;
  /** @param at the position after which events are applied from here on. */
  forgetAll(at: Position): void;
}

export interface LogFollowerOptions {
  /** Gets the end of the log that each check finds. */
  readonly onEnd?: (end: Position) => void;
  /** Gets each event after the memory has got it. */
  readonly onEvent?: (event: RecordedEvent) => void;
  /**
   * Returns the position to begin at, at a start and in another log. Without it, or if it returns
   * null or a position that the log lacks, the follower begins at the end of the log.
   */
  readonly beginAt?: () => Promise<Position | null>;
}

/** The events of the log after the position of the follower. */
interface Subscription {
  readonly batches: AsyncIterator<EventBatch>;
  readonly over: AbortController;
  hasDelivered: boolean;
}

/**
 * Keeps a memory up to date by following the log. Each look at the log compares the head with the
 * position of the follower, and passes the events in between to the memory. Callers that ask at the
 * same time share a look. The events come by one subscription, which stays open from one look to
 * the next.
 */
export class LogFollower {
  readonly #look = new SharedRead(() => this.#lookAtLog());
  /** The log position that the memory reflects. Undefined before the first look. */
  #position: Position | undefined;
  /** The memory reflects everything that was stored before this time, by `performance.now()`. */
  #knownAt = -Infinity;
  /** When somebody last asked for the memory, by `performance.now()`. */
  #askedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #subscription: Subscription | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly memory: FollowingMemory,
    private readonly options: LogFollowerOptions = {},
  ) {}

  get ageMs(): number {
    return performance.now() - this.#knownAt;
  }

  start(): void {
    // A log that is out of reach shows in `ageMs`, and the next request gets the error.
    const look = (): void => {
      const isIdle = performance.now() - this.#askedAt >= IDLE_AFTER_MS;
      if (isIdle && this.ageMs < IDLE_AGE_MS) return;
      this.#look.read().catch(() => undefined);
    };
    this.#timer = setInterval(look, LOOKS_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#unsubscribe();
  }

  /** Updates the memory with all stored before the call. @throws Unavailable without an answer. */
  look(): Promise<void> {
    this.#askedAt = performance.now();
    return this.#look.read();
  }

  /**
   * Ensures that the memory reflects all that was stored before a moment of `performance.now()`.
   * @throws Unavailable when the log cannot be reached, or does not answer within `withinMs`.
   */
  async catchUpTo(moment: number, withinMs = DECISION_LOOK_MS): Promise<void> {
    this.#askedAt = performance.now();
    if (this.#knownAt >= moment) return;
    const late = () => new Unavailable(this.log.part, 'it does not answer in time');
    await inTime(this.#look.read(), withinMs, late);
  }

  async #lookAtLog(): Promise<void> {
    const lookedAt = performance.now();
    const head = await this.log.head();
    this.options.onEnd?.(head);
    if (head !== this.#position) await this.#catchUp(head);
    this.#knownAt = lookedAt;
  }

  async #catchUp(head: Position): Promise<void> {
    let after = this.#position;
    if (after === undefined || after > head) {
      const asked = (await this.options.beginAt?.()) ?? head;
      after = asked < head ? asked : head;
      this.#beginAt(after);
    }
    try {
      if (after < head) await this.#applyUpTo(head, after);
    } catch (error) {
      if (!(error instanceof UnheldPositionError)) throw error;
      // The log was restored or is another one.
      this.#beginAt(head);
    }
  }

  async #applyUpTo(head: Position, after: Position): Promise<void> {
    const subscription = (this.#subscription ??= this.#subscribe(after));
    try {
      let reached = after;
      while (reached < head) {
        reached = await this.#applyBatch(subscription);
        this.#position = reached;
      }
    } catch (error) {
      // The next look subscribes anew.
      this.#unsubscribe();
      throw error;
    }
  }

  /** @returns the position that the memory reflects then. */
  async #applyBatch(subscription: Subscription): Promise<Position> {
    const late = () => new Unavailable(this.log.part, 'it delivers no events');
    const withinMs = subscription.hasDelivered ? NEXT_EVENTS_MS : FIRST_EVENTS_MS;
    const next = await inTime(subscription.batches.next(), withinMs, late);
    if (next.done === true) throw late();
    subscription.hasDelivered = true;
    const { events, reached } = next.value;
    let turnBegan = performance.now();
    for (const event of events) {
      this.memory.apply(event);
      this.options.onEvent?.(event);
      if (performance.now() - turnBegan < TURN_MS) continue;
      await nextTurn();
      turnBegan = performance.now();
    }
    return reached;
  }

  #subscribe(after: Position): Subscription {
    const over = new AbortController();
    const batches = this.log.follow(after, over.signal)[Symbol.asyncIterator]();
    return { batches, over, hasDelivered: false };
  }

  #unsubscribe(): void {
    this.#subscription?.over.abort();
    void this.#subscription?.batches.return?.().catch(() => undefined);
    this.#subscription = undefined;
  }

  #beginAt(position: Position): void {
    this.#unsubscribe();
    this.memory.forgetAll(position);
    this.#position = position;
  }
}
