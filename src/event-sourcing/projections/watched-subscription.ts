import { setTimeout as delay } from 'node:timers/promises';
import type { EventBatch, EventLog } from '../event-log/event-log.js';
import { inTime } from '../../kernel/in-time.js';
import type { Position } from '../../kernel/position.js';

/** The time limits after which a subscription counts as stalled. */
export interface Patience {
  /** How long the subscription may deliver nothing although the log has more events. */
  readonly stalledMs: number;
  /** How often to read the head of the log while the subscription delivers nothing. */
  readonly lookEveryMs: number;
  /** How long the log may give no answer at all. Then another process, which may reach the log, takes over. */
  readonly withoutLogMs: number;
}

const PATIENCE: Patience = { stalledMs: 5_000, lookEveryMs: 1_000, withoutLogMs: 20_000 };
const NOTHING = Symbol('nothing');

/** The error for a subscription that does not deliver events which the log has. */
export class StalledError extends Error {
  override readonly name = 'StalledError';

  constructor(reached: Position, head: Position) {
    super(
      `the subscription delivered nothing after position ${reached || 'the start'}, although the log has events up to ${head}; the subscription begins again`,
    );
  }
}

/**
 * Passes on the batches of a subscription, and throws if the subscription stalls. The time limits run only while the
 * caller waits for a batch.
 * @param after the position after which the subscription begins.
 * @param signal ends the iteration at once when it aborts.
 * @throws StalledError if no batch comes although the log has later events; the error of `log.head` if the log does not
 * return its head for longer than `withoutLogMs`.
 */
export async function* watched(
  batches: AsyncIterable<EventBatch>,
  after: Position,
  log: Pick<EventLog, 'head'>,
  signal: AbortSignal,
  patience: Patience = PATIENCE,
): AsyncGenerator<EventBatch, undefined> {
  const iterator = batches[Symbol.asyncIterator]();
  const aborted = new Promise<typeof NOTHING>((resolve) => {
    signal.addEventListener('abort', () => resolve(NOTHING), { once: true });
  });
  let reached = after;
  try {
    while (!signal.aborted) {
      const next = iterator.next();
      next.catch(() => undefined);
      const watch = new Watch(log, reached, patience);
      let result: IteratorResult<EventBatch> | typeof NOTHING = NOTHING;
      while (result === NOTHING) {
        const pause = new AbortController();
        const look: Promise<typeof NOTHING> = delay(patience.lookEveryMs, NOTHING, {
          signal: pause.signal,
        });
        look.catch(() => undefined);
        result = await Promise.race([next, look, aborted]);
        pause.abort();
        if (signal.aborted) return undefined;
        if (result === NOTHING) watch.look();
      }
      if (result.done === true) return undefined;
      reached = result.value.reached;
      yield result.value;
    }
    return undefined;
  } finally {
    // A silent subscription may never answer this call either.
    void iterator.return?.().catch(() => undefined);
  }
}

/** Looks at the head of a log while somebody waits for a batch of a subscription. */
class Watch {
  #isAsking = false;
  #answeredAt = performance.now();
  #fault: unknown = new Error('the event log does not answer');
  #head: Position | undefined;
  #aheadSince = Infinity;

  constructor(
    private readonly log: Pick<EventLog, 'head'>,
    private readonly reached: Position,
    private readonly patience: Patience,
  ) {}

  /** Begins another look, and judges by the answers of earlier ones, so that a batch need not wait for an answer. */
  look(): void {
    const { stalledMs, withoutLogMs } = this.patience;
    if (performance.now() - this.#answeredAt > withoutLogMs) throw this.#fault;
    if (this.#head !== undefined && this.#answeredAt - this.#aheadSince >= stalledMs)
      throw new StalledError(this.reached, this.#head);
    if (!this.#isAsking) void this.#ask();
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    try {
      this.#head = await inTime(this.log.head(), this.patience.withoutLogMs);
      this.#answeredAt = performance.now();
      const isAhead = this.#head > this.reached;
      this.#aheadSince = isAhead ? Math.min(this.#aheadSince, this.#answeredAt) : Infinity;
    } catch (fault) {
      this.#fault = fault;
    } finally {
      this.#isAsking = false;
    }
  }
}
