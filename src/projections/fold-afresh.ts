import type { EventLog } from '../event-log/event-log.js';
import type { EventRegistry } from '../event-log/event-registry.js';
import type { DomainEvent } from '../kernel/event.js';
import type { ReadModel, ReadStore, ReadView } from '../read-store/read-store.js';
import type { FoldOptions } from './catch-up.js';
import { Comparing, type Comparison, type Examined } from './compare.js';
import type { Projection } from './projection.js';
import { Projector } from './projector.js';

/** How often what changed is looked at again before the stored read model is held in one state for it. */
const ROUNDS = 3;

/** What a fold works with. */
export interface Sources {
  readonly log: EventLog;
  readonly registry: EventRegistry;
  readonly store: ReadStore;
}

/** A projector for work that comes to an end. Whatever it meets is thrown. */
export function projectorInto(
  model: ReadModel,
  projection: Projection<DomainEvent>,
  { log, registry }: Sources,
): Projector {
  return new Projector(projection, log, registry, model, () => undefined);
}

/**
 * Compares a fresh fold of the log with the stored read model, while whoever keeps that up to date goes on. What has
 * changed in it behind the fresh fold is looked at again when the fold has come as far; what is left after some rounds,
 * in one state of it.
 * @param projector into the generation that is compared with the stored one.
 */
export async function compareAfresh(
  projector: Projector,
  { store }: Sources,
  options: FoldOptions,
): Promise<Comparison> {
  const { projection, model: fresh } = projector;
  const stored = store.readModel(projection);
  const comparing = new Comparing(projection, fresh, options.signal);
  const catchUpWith = async (view: ReadView, stands: boolean): Promise<Examined> => {
    const upTo = await view.checkpoint();
    await projector.catchUp({ ...options, upTo });
    return { view, upTo, stands };
  };
  await comparing.all(await catchUpWith(stored, false));
  for (let round = 1; round <= ROUNDS && comparing.isUnsettled; round++) {
    await comparing.again(await catchUpWith(stored, false));
  }
  if (!comparing.isUnsettled) return comparing.result;
  return stored.snapshot(async (view) => {
    const last = comparing.copy();
    await last.again(await catchUpWith(view, true));
    return last.result;
  });
}
