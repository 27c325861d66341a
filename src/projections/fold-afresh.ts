import type { EventLog } from '../event-log/event-log.js';
import type { EventRegistry } from '../event-log/event-registry.js';
import type { DomainEvent } from '../kernel/event.js';
import type { ReadModel, ReadStore } from '../read-store/read-store.js';
import { type Comparison, compare } from './compare.js';
import type { Projection } from './projection.js';
import { type CatchUp, Projector } from './projector.js';

/** What a fold works with. */
export interface Sources {
  readonly log: EventLog;
  readonly registry: EventRegistry;
  readonly store: ReadStore;
}

export type FoldOptions = Pick<CatchUp, 'signal' | 'onProgress'>;

/** A projector for a generation that does not serve. Whatever it meets is thrown. */
export function projectorInto(
  model: ReadModel,
  projection: Projection<DomainEvent>,
  { log, registry }: Sources,
): Projector {
  return new Projector(projection, log, registry, model, () => undefined);
}

/**
 * Folds the log up to exactly where the stored read model is, and compares the two there, while whoever keeps the
 * stored one up to date goes on.
 * @param projector into the generation that is compared with the stored one.
 */
export async function compareAfresh(
  projector: Projector,
  { store }: Sources,
  options: FoldOptions,
): Promise<Comparison> {
  const { projection, model: fresh } = projector;
  const stored = store.readModel(projection);
  // Most of it before the snapshot, which should be short.
  await projector.catchUp({ ...options, upTo: await stored.checkpoint() });
  return stored.snapshot(async (view) => {
    await projector.catchUp({ ...options, upTo: await view.checkpoint() });
    return compare(projection, fresh, view, options.signal);
  });
}
