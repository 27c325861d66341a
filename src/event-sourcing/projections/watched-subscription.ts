import type { EventBatch, EventLog } from '../event-log/event-log.js';
import { inTime } from '../waiting/in-time.js';
import type { Position } from '../../kernel/position.js';
import { repeatedly } from '../waiting/repeatedly.js';

/** How often to read the head of the log while the subscription delivers nothing. */
const LOOK_EVERY_MS = 1_000;
/** How long the subscription may deliver nothing although the log has more events. */
const STALLED_MS = 5_000;
/** How long the log may give no answer at all. Then another process, which may reach the log, takes over. */
const WITHOUT_LOG_MS = 20_000;

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
 * return its head for longer than 20 s.
 */
export async function* watched(
  batches: AsyncIterable<EventBatch>,
  after: Position,
  log: Pick<EventLog, 'head'>,
  signal: AbortSignal,
): AsyncGenerator<EventBatch, undefined> {
  const iterator = batches[Symbol.asyncIterator]();
  let reached = after;
  try {
    for (;;) {
      const next = await unlessStalled(iterator.next(), reached, log, signal);
      if (!next || next.done === true || signal.aborted) return undefined;
      reached = next.value.reached;
      yield next.value;
    }
  } finally {
    // A silent subscription may never answer this call either.
    void iterator.return?.().catch(() => undefined);
  }
}

/** Waits for `next`; undefined when the signal aborts. A race with a promise of the signal would never be collected. */
function unlessStalled<Next>(
  next: Promise<Next>,
  reached: Position,
  log: Pick<EventLog, 'head'>,
  signal: AbortSignal,
): Promise<Next | undefined> {
  let end = (): void => undefined;
  const first = new Promise<Next | undefined>((resolve, reject) => {
    let [answeredAt, aheadSince] = [performance.now(), Infinity];
    const look = async (): Promise<void> => {
      try {
        const head = await inTime(log.head(reached), WITHOUT_LOG_MS);
        answeredAt = performance.now();
        aheadSince = head > reached ? Math.min(aheadSince, answeredAt) : Infinity;
        if (answeredAt - aheadSince >= STALLED_MS) reject(new StalledError(reached, head));
      } catch (fault) {
        if (performance.now() - answeredAt > WITHOUT_LOG_MS) throw fault;
      }
    };
    const endLooking = repeatedly(LOOK_EVERY_MS, () => look().catch(reject));
    const abort = (): void => resolve(undefined);
    signal.addEventListener('abort', abort);
    end = () => {
      void endLooking();
      signal.removeEventListener('abort', abort);
    };
    if (signal.aborted) abort();
    next.then(resolve, reject);
  });
  return first.finally(end);
}
