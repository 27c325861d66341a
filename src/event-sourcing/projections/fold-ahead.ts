import type { EventBatch } from '../event-log/event-log.js';
import type { DecodedBatch } from './decoded-batch.js';
import type { FoldedPart, GenerationWriter } from './generation-writer.js';

/** Folds batch after batch, as far as the consumer asks for what is to be written. */
export async function* foldParts(
  writer: Pick<GenerationWriter, 'parts'>,
  batches: AsyncIterable<EventBatch>,
  decode: (batch: EventBatch) => DecodedBatch,
): AsyncGenerator<FoldedPart, void> {
  for await (const batch of batches) yield* writer.parts(decode(batch));
}

/**
 * Passes parts on, and begins to fold the next one before it passes one on that has more behind it,
 * so that the fold goes on while the consumer writes. Otherwise events may gather for the next one.
 */
export async function* foldAhead(
  parts: AsyncGenerator<FoldedPart, void>,
  hasMore: (part: FoldedPart) => boolean,
): AsyncGenerator<FoldedPart, void> {
  try {
    for (let next = parts.next(); ;) {
      const { value: part, done } = await next;
      if (done === true) return;
      const ahead = hasMore(part) ? parts.next() : undefined;
      // A fault of the next part shows when the consumer comes to it.
      ahead?.catch(() => undefined);
      yield part;
      next = ahead ?? parts.next();
    }
  } finally {
    // A subscription that is silent may never end its part.
    void parts.return().catch(() => undefined);
  }
}
