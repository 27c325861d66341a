import type { EventLog, RecordedEvent } from '../event-log/event-log.js';
import { Unavailable } from '../kernel/errors.js';
import { inTime } from '../kernel/in-time.js';
import type { Position } from '../kernel/position.js';
import { SharedRead } from '../projections/shared-read.js';

/** How often the follower compares its position with the head of the log at least. */
const LOOKS_EVERY_MS = 250;
/** How long a request waits for a look, when the follower knows nothing that is young enough. */
const ANSWERED_WITHIN_MS = 1_000;

/** A memory of things that events change. */
export interface FollowingMemory {
  /** Lets go of everything that an event changes. Also told of events that it does not know. */
  forget(event: RecordedEvent): void;
  forgetAll(): void;
}

/**
 * Keeps a memory right by following the log. Each look at the log compares the head with the position of the follower, and
 * passes the events in between on to the memory. Callers that ask at once share a look.
 */
export class LogFollower {
  readonly #look = new SharedRead(() => this.#lookAtLog());
  /** Undefined before the first look. */
  #position: Position | undefined;
  /** By `performance.now()`: the memory holds everything that was stored before. */
  #knownAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly log: EventLog,
    private readonly memory: FollowingMemory,
  ) {}

  /** The age of the memory in milliseconds. */
  get ageMs(): number {
    return performance.now() - this.#knownAt;
  }

  /** Looks at the log now, and then every 250 ms until `stop`. */
  start(): void {
    const lookAgain = (): void => {
      this.#timer = setTimeout(() => {
        // A log that is out of reach shows in the age, and to the next request.
        void this.look()
          .catch(() => undefined)
          .then(() => this.#timer && lookAgain());
      }, LOOKS_EVERY_MS).unref();
    };
    lookAgain();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Brings the memory up to everything that was stored before the call. @throws Unavailable when the log is. */
  look(): Promise<void> {
    return this.#look.read();
  }

  /** Sees to it that the memory holds everything that was stored before a moment, by `performance.now()`. */
  async since(moment: number): Promise<void> {
    if (this.#knownAt < moment) await this.look();
  }

  /**
   * Sees to it that the memory is no older than `maxAgeMs`.
   * @throws Unavailable when the log does not answer within a second.
   */
  async within(maxAgeMs: number): Promise<void> {
    if (this.ageMs > maxAgeMs) await this.lookWithin(ANSWERED_WITHIN_MS);
  }

  /** As `look`. @throws Unavailable when the log does not answer in time. */
  lookWithin(withinMs: number): Promise<void> {
    const late = () => new Unavailable('event log', 'it does not say how far it is');
    return inTime(this.look(), withinMs, late);
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
      // All types, as a later release may write one that this one does not know.
      for await (const { events, reached } of this.log.readAll(after)) {
        for (const event of events) this.memory.forget(event);
        this.#position = reached;
      }
    } catch (error) {
      if (error instanceof Unavailable) throw error;
      // The log does not hold the position any more: it was restored, or is another one.
      this.#beginAt(head);
    }
    if (this.#position === undefined || this.#position < head) this.#position = head;
  }

  #beginAt(head: Position): void {
    this.memory.forgetAll();
    this.#position = head;
  }
}
