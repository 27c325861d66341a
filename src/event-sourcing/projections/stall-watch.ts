import type { EventBatch, EventLog } from '../event-log/event-log.js';
import { type Position, START } from '../../kernel/position.js';
import { WakeUp } from './wake-up.js';

/** The time limits after which a subscription counts as stalled. */
export interface Patience {
  /** How long the subscription may deliver nothing although the log has more events. */
  readonly stalledMs: number;
  /** How often to read the head of the log while the subscription delivers nothing. */
  readonly lookEveryMs: number;
  /** How long the log may give no answer at all. Then another process, which may reach the log, takes over. */
  readonly withoutLogMs: number;
}

export const PATIENCE: Patience = { stalledMs: 5_000, lookEveryMs: 1_000, withoutLogMs: 20_000 };

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
  signal: AbortSignal | undefined,
  patience: Patience = PATIENCE,
): AsyncGenerator<EventBatch, undefined> {
  const iterator = batches[Symbol.asyncIterator]();
  let reached = after;
  try {
    for (;;) {
      const next = iterator.next();
      next.catch(() => undefined);
      await arrival(next, reached, log, signal, patience);
      if (signal?.aborted) return undefined;
      const result = await next;
      if (result.done === true) return undefined;
      reached = result.value.reached;
      yield result.value;
    }
  } finally {
    // A silent subscription may never answer this call either.
    void iterator.return?.().catch(() => undefined);
  }
}

/** Resolves when `next` settles or the signal aborts. */
async function arrival(
  next: Promise<unknown>,
  reached: Position,
  log: Pick<EventLog, 'head'>,
  signal: AbortSignal | undefined,
  { stalledMs, lookEveryMs, withoutLogMs }: Patience,
): Promise<void> {
  const wakeUp = new WakeUp();
  const here = new AbortController();
  const arrive = (): void => {
    here.abort();
    wakeUp.wake();
  };
  next.then(arrive, arrive);
  const look = new Look(log, reached);
  for (;;) {
    await wakeUp.sleep(lookEveryMs, signal ?? NEVER);
    if (here.signal.aborted || signal?.aborted === true) return;
    // The look runs in the background, so that a batch that comes meanwhile does not wait for it.
    look.again();
    look.requireAnswer(withoutLogMs);
    look.requireProgress(stalledMs);
  }
}

/** Looks at the head of a log while somebody waits for a batch of a subscription. */
class Look {
  #isAsking = false;
  #answeredAt = performance.now();
  #fault: unknown = new Error('the event log does not answer');
  #head: Position = START;
  #aheadSince: number | undefined;

  constructor(
    private readonly log: Pick<EventLog, 'head'>,
    private readonly reached: Position,
  ) {}

  again(): void {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.log
      .head()
      .then(
        (head) => this.#see(head),
        (fault: unknown) => (this.#fault = fault),
      )
      .finally(() => (this.#isAsking = false));
  }

  /** @throws when the log has not answered for longer than `withinMs`. */
  requireAnswer(withinMs: number): void {
    if (performance.now() - this.#answeredAt > withinMs) throw this.#fault;
  }

  /** @throws StalledError when the head has been ahead of the reached position for `withinMs` or longer. */
  requireProgress(withinMs: number): void {
    if (this.#aheadSince === undefined || this.#answeredAt - this.#aheadSince < withinMs) return;
    throw new StalledError(this.reached, this.#head);
  }

  #see(head: Position): void {
    this.#answeredAt = performance.now();
    this.#head = head;
    if (head <= this.reached) this.#aheadSince = undefined;
    else this.#aheadSince ??= this.#answeredAt;
  }
}

const NEVER = new AbortController().signal;
