import type { Sources } from '../../src/projections/fold-afresh.js';
import type { Projection } from '../../src/projections/projection.js';
import type { ProjectionObserver } from '../../src/projections/projection-observer.js';
import { Projections } from '../../src/projections/projections.js';
import { Projectors } from '../../src/projections/projectors.js';
import type { DomainEvent } from '../../src/kernel/event.js';

/** Projections that this thread keeps up to date, and tells an observer what it wants to know. */
export function projectionsHere(
  projections: readonly Projection<DomainEvent>[],
  sources: Sources,
  observer: Partial<ProjectionObserver> = {},
): Projections {
  const silent = { tell: () => undefined, onRebuild: () => undefined };
  return new Projections(new Projectors(projections, sources, { ...silent, ...observer }));
}
