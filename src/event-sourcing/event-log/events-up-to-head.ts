import { Unavailable } from '../../kernel/errors.js';
import { inTime } from '../waiting/in-time.js';
import { LinkedAbort } from '../waiting/linked-abort.js';
import type { Position } from '../../kernel/position.js';
import { type EventBatch, type EventLog, UnheldPositionError } from './event-log.js';

const LONGEST_SILENCE_MS = 20_000;

/**
 * Delivers the events after `after` in batches, up to the head at the call. The last batch may have
 * later events, but the iteration ends, however fast others write, or when `signal` aborts.
 * @throws Unavailable when nothing comes for 20 s; UnheldPositionError for an `after` not held.
 */
export async function* eventsUpToHead(
  log: Pick<EventLog, 'follow' | 'head' | 'part'>,
  after: Position,
  signal?: AbortSignal,
): AsyncGenerator<EventBatch, undefined> {
  const head = await log.head(after);
  if (head === after) return;
  if (head < after) throw new UnheldPositionError(after);
  const over = new LinkedAbort(...(signal ? [signal] : []));
  const batches = log.follow(after, over.signal)[Symbol.asyncIterator]();
  const late = (): Error => new Unavailable(log.part, 'it delivers no events');
  try {
    let reached = after;
    while (reached < head && !over.signal.aborted) {
      const next = await inTime(batches.next(), LONGEST_SILENCE_MS, late);
      if (next.done === true) return;
      yield next.value;
      ({ reached } = next.value);
    }
  } finally {
    over.abort();
    over.unlink();
    void batches.return?.().catch(() => undefined);
  }
}
