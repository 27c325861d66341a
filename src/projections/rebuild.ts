import type { DomainEvent } from '../kernel/event.js';
import type { FoldOptions } from './catch-up.js';
import { compareAfresh, projectorInto, type Sources } from './fold-afresh.js';
import type { Projection } from './projection.js';
import type { Projector } from './projector.js';

export interface Rebuilt {
  /** Of the projection, folded from the start of the log. */
  readonly events: number;
  readonly seconds: number;
  /** How many documents were not what they should have been; or why that is not known. */
  readonly differences: number | 'unasked' | 'of another log' | { readonly unreadable: unknown };
}

export interface RebuildOptions extends FoldOptions {
  /** Default true. */
  readonly compare?: boolean;
}

/**
 * Folds the log into a new generation beside the one that serves, compares the two, and lets the new one serve.
 * Until then, and when anything goes wrong, the old one is untouched.
 */
export async function rebuild(
  projection: Projection<DomainEvent>,
  sources: Sources,
  options: RebuildOptions = {},
): Promise<Rebuilt> {
  const started = performance.now();
  const filling = await sources.store.fill(projection);
  const projector = projectorInto(filling.model, projection, sources);
  try {
    const compared = options.compare ?? true;
    const differences = compared ? await differencesTo(projector, sources, options) : 'unasked';
    await projector.catchUp(options);
    // Once more, as the log grew meanwhile, and what is left the service must fold when it goes over.
    await projector.fill(options);
    options.signal?.throwIfAborted();
    await filling.serve();
    const seconds = Math.max(1, Math.round(performance.now() - started)) / 1_000;
    return { events: projector.eventsFolded, seconds, differences };
  } catch (error) {
    // What cannot be given up now is swept later, and must not hide what went wrong.
    await filling.discard().catch(() => undefined);
    throw error;
  }
}

/** What serves may be broken, which is what a rebuild is for: what keeps from folding is met again by the fold alone. */
async function differencesTo(
  projector: Projector,
  sources: Sources,
  options: FoldOptions,
): Promise<Rebuilt['differences']> {
  try {
    const stored = sources.store.readModel(projector.projection);
    if (!(await sources.log.holds(await stored.checkpoint()))) return 'of another log';
    const { differences } = await compareAfresh(projector, sources, options);
    return differences.length;
  } catch (error) {
    options.signal?.throwIfAborted();
    return { unreadable: error };
  }
}
