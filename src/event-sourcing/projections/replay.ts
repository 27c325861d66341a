import { type DecodedBatch, decoded } from './decoded-batch.js';
import type { Projector } from './projector.js';
import type { Sources } from './sources.js';
import { watched } from './stall-watch.js';

/**
 * Reads the log once for several projectors, from the lowest of their positions to the head.
 * @param fold folds a batch, and returns whether to read the next one.
 */
export async function replay(
  projectors: readonly Projector[],
  { log, registry }: Sources,
  signal: AbortSignal | undefined,
  fold: (batch: DecodedBatch) => Promise<boolean>,
): Promise<void> {
  const [after] = projectors.map(({ position }) => position).sort();
  if (after === undefined) return;
  const types = [...new Set(projectors.flatMap((projector) => [...projector.types]))];
  for await (const batch of watched(log.readAll(after, { types }), after, log, signal)) {
    if (signal?.aborted || !(await fold(await decoded(batch, registry, log)))) return;
  }
}
