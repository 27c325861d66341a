import type { DomainEvent } from '../kernel/event.js';
import type { Comparison } from './compare.js';
import { compareAfresh, type FoldOptions, projectorInto, type Sources } from './fold-afresh.js';
import type { Projection } from './projection.js';

/**
 * Folds the log afresh and compares every document with the stored one. Changes nothing.
 * @throws when the stored read model is not of this log.
 */
export async function verify(
  projection: Projection<DomainEvent>,
  sources: Sources,
  options: FoldOptions = {},
): Promise<Comparison> {
  const checkpoint = await sources.store.readModel(projection).checkpoint();
  if (!(await sources.log.holds(checkpoint))) {
    throw new Error(
      `the checkpoint ${checkpoint} of ${projection.name} is not in the log; rebuild it`,
    );
  }
  const filling = await sources.store.fill(projection);
  try {
    return await compareAfresh(projectorInto(filling.model, projection, sources), sources, options);
  } finally {
    // What cannot be given up now is swept later, and must not hide what was found.
    await filling.discard().catch(() => undefined);
  }
}
