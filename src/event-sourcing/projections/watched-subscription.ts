import { setTimeout as delay } from 'node:timers/promises';
import { aborted } from 'node:util';
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
  const ended = aborted(signal, iterator).then(() => undefined);
  const isOver = (): boolean => signal.aborted;
  let reached = after;
  try {
    while (!isOver()) {
      const next = iterator.next().then((result) => ({ result }));
      next.catch(() => undefined);
      let [answeredAt, aheadSince] = [performance.now(), Infinity];
      for (;;) {
        const over = new AbortController();
        // A batch that comes meanwhile does not wait for the answer of the log.
        const seen = await Promise.race([next, look(log, patience, over.signal), ended]);
        over.abort();
        if (seen === undefined || isOver()) return undefined;
        if ('result' in seen) {
          if (seen.result.done === true) return undefined;
          reached = seen.result.value.reached;
          yield seen.result.value;
          break;
        }
        if ('fault' in seen) {
          if (performance.now() - answeredAt > patience.withoutLogMs) throw seen.fault;
          continue;
        }
        answeredAt = performance.now();
        aheadSince = seen.head > reached ? Math.min(aheadSince, answeredAt) : Infinity;
        if (answeredAt - aheadSince >= patience.stalledMs)
          throw new StalledError(reached, seen.head);
      }
    }
    return undefined;
  } finally {
    // A silent subscription may never answer this call either.
    void iterator.return?.().catch(() => undefined);
  }
}

/** Looks at the head of the log after a pause, which the signal ends. */
async function look(
  log: Pick<EventLog, 'head'>,
  { lookEveryMs, withoutLogMs }: Patience,
  signal: AbortSignal,
): Promise<{ readonly head: Position } | { readonly fault: unknown }> {
  try {
    await delay(lookEveryMs, undefined, { signal });
    return { head: await inTime(log.head(), withoutLogMs) };
  } catch (fault) {
    return { fault };
  }
}
