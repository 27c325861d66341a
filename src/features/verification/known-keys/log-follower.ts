import {
  type EventLog,
  type RecordedEvent,
  UnheldPositionError,
} from '../../../event-sourcing/event-log/event-log.js';
import { history } from '../../../event-sourcing/event-log/history.js';
import { Unavailable } from '../../../kernel/errors.js';
import { inTime } from '../../../kernel/in-time.js';
import type { Position } from '../../../kernel/position.js';
import { SharedRead } from '../../../kernel/shared-read.js';

/** How often the follower looks at the log. A request may look in between. */
const LOOKS_EVERY_MS = 250;

/** Values in memory that events change. */
export interface FollowingMemory {
  /** Drops every value that an event may change. The follower passes events of unknown types too. */
  forget(event: RecordedEvent): void;
  forgetAll(): void;
}

/**
 * Keeps a memory up to date by following the log. Each look at the log compares the head with the position of the
 * follower, and passes the events in between to the memory. Callers that ask at the same time share a look.
 */
export class LogFollower {
  readonly #look = new SharedRead(() => this.#lookAtLog());
  /** The log position that the memory reflects. Undefined before the first look. */
  #position: Position | undefined;
  /** The memory reflects everything that was stored before this time, by `performance.now()`. */
  #knownAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly memory: FollowingMemory,
  ) {}

  get ageMs(): number {
    return performance.now() - this.#knownAt;
  }

  /** Looks at the log every 250 ms, until `stop`. */
  start(): void {
    // A log that is out of reach shows in `ageMs`, and the next request gets the error.
    const look = (): void => void this.look().catch(() => undefined);
    this.#timer = setInterval(look, LOOKS_EVERY_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Updates the memory with everything stored before the call. @throws Unavailable if the log cannot be reached. */
  look(): Promise<void> {
    return this.#look.read();
  }

  /**
   * Ensures that the memory reflects everything that was stored before a moment, by `performance.now()`.
   * @throws Unavailable when the log cannot be reached, or does not answer within `withinMs`.
   */
  async since(moment: number, withinMs: number): Promise<void> {
    if (this.#knownAt >= moment) return;
    const late = () => new Unavailable('event log', 'it does not return its head in time');
    await inTime(this.look(), withinMs, late);
  }

  async #lookAtLog(): Promise<void> {
    const lookedAt = performance.now();
    const head = await this.log.head();
    if (head !== this.#position) await this.#catchUp(head);
    this.#knownAt = lookedAt;
  }

  async #catchUp(head: Position): Promise<void> {
    const after = this.#position;
    if (after === undefined || after > head) {
      this.#beginAt(head);
      return;
    }
    try {
      // All types are read, because a newer build may write a type that this build does not know.
      for await (const { events, reached } of history(this.log, after)) {
        for (const event of events) this.memory.forget(event);
        this.#position = reached;
      }
    } catch (error) {
      if (!(error instanceof UnheldPositionError)) throw error;
      // The log was restored or is another one.
      this.#beginAt(head);
    }
    if (this.#position === undefined || this.#position < head) this.#position = head;
  }

  #beginAt(head: Position): void {
    this.memory.forgetAll();
    this.#position = head;
  }
}
