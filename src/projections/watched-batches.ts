import type { EventBatch, EventLog } from '../event-log/event-log.js';
import type { Position } from '../kernel/position.js';
import { WakeUp } from './wake-up.js';

/** How long the head may be ahead while nothing comes, and how often it is looked at meanwhile. */
export interface Patience {
  readonly stalledMs: number;
  readonly lookEveryMs: number;
  /** How long the log may not answer at all: another process may reach it. */
  readonly withoutLogMs: number;
}

export const PATIENCE: Patience = { stalledMs: 5_000, lookEveryMs: 1_000, withoutLogMs: 20_000 };

/** The log has events that a subscription does not give. */
export class StalledError extends Error {
  override readonly name = 'StalledError';

  constructor(reached: Position, head: Position) {
    super(
      `nothing came after position ${reached || 'the start'}, though the log goes on to ${head}; it is subscribed to anew`,
    );
  }
}

/**
 * The batches of a subscription, for as long as they come. Only the time counts for which somebody waits for the next.
 * @param after where the subscription begins.
 * @param signal ends it at once when it aborts.
 * @throws StalledError when the head stays ahead and nothing comes; what `head` throws when that is for too long.
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
      const { done, value } = await next;
      if (done) return undefined;
      const batch: EventBatch = value;
      reached = batch.reached;
      yield batch;
    }
  } finally {
    // A subscription that is silent may never answer that either.
    void iterator.return?.().catch(() => undefined);
  }
}

/** Resolves when the next batch is there or failed, or the signal aborts. */
async function arrival(
  next: Promise<unknown>,
  reached: Position,
  log: Pick<EventLog, 'head'>,
  signal: AbortSignal | undefined,
  { stalledMs, lookEveryMs, withoutLogMs }: Patience,
): Promise<void> {
  const wakeUp = new WakeUp();
  let isHere = false;
  const arrive = (): void => {
    isHere = true;
    wakeUp.wake();
  };
  next.then(arrive, arrive);
  let aheadSince: number | undefined;
  let answeredAt = performance.now();
  for (;;) {
    await wakeUp.sleep(lookEveryMs, signal ?? NEVER);
    if (isHere || signal?.aborted) return;
    try {
      const head = await log.head();
      answeredAt = performance.now();
      if (head <= reached) aheadSince = undefined;
      else aheadSince ??= answeredAt;
      if (aheadSince === undefined || answeredAt - aheadSince < stalledMs) continue;
      throw new StalledError(reached, head);
    } catch (error) {
      if (error instanceof StalledError && !isHere) throw error;
      if (performance.now() - answeredAt > withoutLogMs) throw error;
    }
  }
}

const NEVER = new AbortController().signal;
