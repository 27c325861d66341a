import type { EventBatch } from '../event-log/event-log.js';

/**
 * Takes batches until there are no more, or until `fold` says false. None is held on to while the next is awaited, as a
 * loop would: what is young would outlive the collections that happen then, and a long replay take a tenth more.
 */
export async function forEachBatch(
  batches: AsyncIterable<EventBatch>,
  fold: (batch: EventBatch) => Promise<boolean>,
): Promise<void> {
  const iterator = batches[Symbol.asyncIterator]();
  try {
    while (await takeNext(iterator, fold));
  } finally {
    await iterator.return?.();
  }
}

async function takeNext(
  iterator: AsyncIterator<EventBatch>,
  fold: (batch: EventBatch) => Promise<boolean>,
): Promise<boolean> {
  const next = await iterator.next();
  return next.done !== true && (await fold(next.value));
}
