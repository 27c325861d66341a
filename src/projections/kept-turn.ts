import { inTime } from '../kernel/in-time.js';
import { LinkedAbort } from '../kernel/linked-abort.js';
import type { ReadModel } from '../read-store/read-store.js';

/** How often it looks whether another generation has come to serve. */
export const LOOK_FOR_SUCCESSOR_EVERY_MS = 250;
/** How often it asks to keep its turn, and whether the read model is still what it was. */
const TAKE_TURN_EVERY_MS = 1_000;
const GIVEN_UP_WITHIN_MS = 5_000;
const LOOK_FOR_LOG_EVERY_MS = 5_000;
/** For how long its holder may not reach the log: another may, and nobody else can project meanwhile. */
const WITHOUT_LOG_MS = 20_000;

/** What whoever has a turn looks at, beside the turn itself. */
export interface KeptTurnChecks {
  /** Rejects when the log cannot be reached. */
  readonly reachLog: () => Promise<unknown>;
  /** Whether the read model has less than whoever has the turn has written. */
  readonly hasGoneBack: () => Promise<boolean>;
}

/** The turn to keep a read model up to date, asked for again and again until it is given up. */
export class KeptTurn {
  readonly #over: LinkedAbort;
  readonly #timers: NodeJS.Timeout[];
  #taking: Promise<unknown> = Promise.resolve();
  #logReachedAt = performance.now();

  /** @param signal of whoever has the turn, who stops when it aborts. */
  constructor(
    private readonly model: ReadModel,
    signal: AbortSignal,
    private readonly checks: KeptTurnChecks,
  ) {
    this.#over = new LinkedAbort(signal);
    this.#timers = [
      this.#endWhen(() => model.isSuperseded(), LOOK_FOR_SUCCESSOR_EVERY_MS),
      this.#endWhen(() => this.#isLost(), TAKE_TURN_EVERY_MS),
    ];
    if (model.isShared) {
      this.#timers.push(
        this.#endWhen(() => this.#isWithoutLog(), LOOK_FOR_LOG_EVERY_MS),
        // Whoever has nothing to write would never meet it, and everybody else waits for whoever has the turn.
        this.#endWhen(checks.hasGoneBack, TAKE_TURN_EVERY_MS),
      );
    }
  }

  /**
   * Aborts when the turn was lost, the generation replaced, the read model not what it was or the log out of reach, or
   * its holder shall stop.
   */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  async giveUp(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#over.unlink();
    // One that is asked for still would be had again.
    await inTime(this.#taking, GIVEN_UP_WITHIN_MS).catch(() => undefined);
    await giveUpTurn(this.model);
  }

  async #isLost(): Promise<boolean> {
    const taking = this.model.takeTurn();
    this.#taking = taking;
    return !(await taking);
  }

  async #isWithoutLog(): Promise<boolean> {
    try {
      await this.checks.reachLog();
      this.#logReachedAt = performance.now();
      return false;
    } catch {
      return performance.now() - this.#logReachedAt > WITHOUT_LOG_MS;
    }
  }

  #endWhen(ended: () => Promise<boolean>, everyMs: number): NodeJS.Timeout {
    let asking = false;
    return setInterval(() => {
      // An answer that comes late, to a question asked before, must not take again what was given up.
      if (asking) return;
      asking = true;
      // A store that does not answer is met by the next write, and reported there.
      ended()
        .then(
          (isOver) => isOver && this.#over.abort(),
          () => undefined,
        )
        .finally(() => (asking = false));
    }, everyMs);
  }
}

/** A turn that cannot be given up, or not in time, ends by itself. */
export async function giveUpTurn(model: ReadModel): Promise<void> {
  await inTime(model.giveUpTurn(), GIVEN_UP_WITHIN_MS).catch(() => undefined);
}
