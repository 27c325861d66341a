import type { EventBatch, EventLog } from '../event-log/event-log.js';
import { inTime } from '../waiting/in-time.js';
import { type Position, START } from '../../kernel/position.js';
import { repeat } from '../waiting/repeat.js';

/** How often to read the head of the log while the subscription delivers nothing. */
const LOOK_AT_HEAD_MS = 2_000;
/** How long the subscription may deliver nothing although the log has more events. */
const STALLED_MS = 5_000;
/** How long the log may be silent. Then another process, which may reach it, takes over. */
const WITHOUT_LOG_MS = 20_000;

/** The error for a subscription that does not deliver events which the log has. */
export class StalledError extends Error {
  override readonly name = 'StalledError';

  constructor(reached: Position, head: Position) {
    const since = reached === START ? 'the start' : `position ${reached}`;
    super(
      `the subscription delivered nothing after ${since}, although the event log has events up to position ${head}; the service subscribes again`,
    );
  }
}

/**
 * Passes on the batches of a subscription after a position, until `signal` aborts. The time limits
 * run only while the caller waits for a batch.
 * @throws StalledError if no batch comes although the log has later events; the error of `log.head`
 * if the log does not return its head for longer than 20 s.
 */
export async function* watch(
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

/** The time in which a subscription delivers nothing. */
class Silence {
  #answeredAt = performance.now();
  #aheadSince = Infinity;

  constructor(
    private readonly reached: Position,
    private readonly log: Pick<EventLog, 'head'>,
  ) {}

  /** @throws StalledError; the fault of a log that gave no head for too long. */
  async look(): Promise<void> {
    const head = await this.#head();
    if (head === undefined) return;
    this.#answeredAt = performance.now();
    const isAhead = head > this.reached;
    this.#aheadSince = isAhead ? Math.min(this.#aheadSince, this.#answeredAt) : Infinity;
    if (this.#answeredAt - this.#aheadSince >= STALLED_MS) {
      throw new StalledError(this.reached, head);
    }
  }

  async #head(): Promise<Position | undefined> {
    try {
      return await inTime(this.log.head(this.reached), WITHOUT_LOG_MS);
    } catch (fault) {
      if (performance.now() - this.#answeredAt > WITHOUT_LOG_MS) throw fault;
      return undefined;
    }
  }
}

/** Waits for `next`; undefined at an abort. A race with its promise would never be collected. */
function unlessStalled<Next>(
  next: Promise<Next>,
  reached: Position,
  log: Pick<EventLog, 'head'>,
  signal: AbortSignal,
): Promise<Next | undefined> {
  let end = (): void => undefined;
  const first = new Promise<Next | undefined>((resolve, reject) => {
    const silence = new Silence(reached, log);
    const endLooking = repeat(LOOK_AT_HEAD_MS, () => silence.look().catch(reject));
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
