import type { DomainEvent } from '../kernel/event.js';
import { START } from '../kernel/position.js';
import type { ReadModel } from '../read-store/read-store.js';
import { compareAfresh, type FoldOptions, projectorInto, type Sources } from './fold-afresh.js';
import type { Projection } from './projection.js';

export interface Rebuilt {
  /** Of the log, gone through from its start. */
  readonly events: number;
  readonly seconds: number;
  /** How many documents were not what they should have been; null when the replaced one is of another log. */
  readonly differences: number | null;
}

/**
 * Folds the log into a new generation beside the one that serves, compares the two, and lets the new one serve.
 * Until then, and when anything goes wrong, the old one is untouched.
 */
export async function rebuild(
  projection: Projection<DomainEvent>,
  sources: Sources,
  options: FoldOptions = {},
): Promise<Rebuilt> {
  const { log, store } = sources;
  const started = performance.now();
  const filling = await store.fill(projection);
  const { model } = filling;
  try {
    const differences = await differencesTo(model, projection, sources, options);
    const projector = projectorInto(model, projection, sources);
    await projector.catchUp(options);
    // Once more, as the log grew meanwhile, and what is left the service must fold when it goes over.
    await projector.fill(options);
    options.signal?.throwIfAborted();
    const reached = await model.checkpoint();
    const events = (await log.countAfter(START)) - (await log.countAfter(reached));
    await filling.serve();
    const seconds = Math.max(1, Math.round(performance.now() - started)) / 1_000;
    return { events, seconds, differences };
  } catch (error) {
    await filling.discard();
    throw error;
  }
}

async function differencesTo(
  fresh: ReadModel,
  projection: Projection<DomainEvent>,
  sources: Sources,
  options: FoldOptions,
): Promise<number | null> {
  const stored = sources.store.readModel(projection);
  if (!(await sources.log.holds(await stored.checkpoint()))) return null;
  const { differences } = await compareAfresh(projection, fresh, sources, options);
  return differences.length;
}
