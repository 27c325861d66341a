import { setTimeout as delay } from 'node:timers/promises';
import { aborted } from 'node:util';
import type { EventBatch, EventLog } from '../event-log/event-log.js';
import { inTime } from '../../kernel/in-time.js';
import { LinkedAbort } from '../../kernel/linked-abort.js';
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
  const isOver = (): boolean => signal.aborted;
  let reached = after;
  try {
    while (!isOver()) {
      const next = iterator.next();
      const result = await firstOf(next, log, reached, signal, patience);
      if (result === undefined || isOver() || result.done === true) return undefined;
      reached = result.value.reached;
      yield result.value;
    }
    return undefined;
  } finally {
    // A silent subscription may never answer this call either.
    void iterator.return?.().catch(() => undefined);
  }
}

/**
 * Waits for the next batch; undefined when the signal aborts. Every promise of the race ends with it, because a promise
 * that outlives a race keeps what came of it in memory.
 */
async function firstOf<Next>(
  next: Promise<Next>,
  log: Pick<EventLog, 'head'>,
  reached: Position,
  signal: AbortSignal,
  patience: Patience,
): Promise<Next | undefined> {
  const over = new LinkedAbort(signal);
  try {
    const ended = aborted(over.signal, over).then(() => undefined);
    return await Promise.race([next, stall(log, reached, over.signal, patience), ended]);
  } finally {
    over.unlink();
    over.abort();
  }
}

/** Looks at the head of the log again and again, until the signal aborts. @throws like `watched`. */
async function stall(
  log: Pick<EventLog, 'head'>,
  reached: Position,
  signal: AbortSignal,
  { lookEveryMs, stalledMs, withoutLogMs }: Patience,
): Promise<undefined> {
  let [answeredAt, aheadSince] = [performance.now(), Infinity];
  while (!signal.aborted) {
    try {
      await delay(lookEveryMs, undefined, { signal });
      const head = await inTime(log.head(reached), withoutLogMs);
      answeredAt = performance.now();
      aheadSince = head > reached ? Math.min(aheadSince, answeredAt) : Infinity;
      if (answeredAt - aheadSince >= stalledMs) throw new StalledError(reached, head);
    } catch (fault) {
      const isTold = fault instanceof StalledError;
      if (isTold || performance.now() - answeredAt > withoutLogMs) throw fault;
    }
  }
  return undefined;
}
