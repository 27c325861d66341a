import { type Position, START } from '../../kernel/position.js';
import { WakeUp } from './wake-up.js';

/** The last position that a listener has heard of, and a sleep that the next one ends. */
export class HeardPosition {
  #position: Position = START;
  readonly #wakeUp = new WakeUp();

  /** @param end ends the listening. */
  constructor(readonly end: () => void) {}

  get position(): Position {
    return this.#position;
  }

  hear(position: Position): void {
    this.#position = position;
    this.#wakeUp.wakeAll();
  }

  /** Resolves at the next position, when `signal` aborts, or after `withinMs`. */
  next(signal: AbortSignal, withinMs: number): Promise<void> {
    return this.#wakeUp.wait(signal, withinMs);
  }
}

/** Tells listeners of the positions of new events of an account, as others notice these. */
export class HeardPositions {
  readonly #listening = new Map<string, Set<HeardPosition>>();

  /** Notes an event. It costs a look-up where nobody listens. */
  note(accountId: string, position: Position): void {
    for (const heard of this.#listening.get(accountId) ?? []) heard.hear(position);
  }

  /** Begins to listen. The caller must call `end`. */
  listen(accountId: string): HeardPosition {
    const listening = this.#listening.get(accountId) ?? new Set();
    this.#listening.set(accountId, listening);
    const heard = new HeardPosition(() => {
      listening.delete(heard);
      if (listening.size === 0) this.#listening.delete(accountId);
    });
    listening.add(heard);
    return heard;
  }
}
