import type { DomainEvent } from '../../src/kernel/event.js';
import { Engine } from '../../src/projections/engine.js';
import { Generations } from '../../src/projections/generations.js';
import { Maintenance } from '../../src/projections/maintenance.js';
import { feedLease } from '../../src/projections/names.js';
import type { Projection } from '../../src/projections/projection.js';
import { Projections } from '../../src/projections/projections.js';
import type { Sources } from '../../src/projections/sources.js';
import type { ProjectionNews } from '../../src/projections/standing.js';

/** Projections that this thread keeps up to date, like a replica. */
export function projectionsHere(
  projections: readonly Projection<DomainEvent>[],
  sources: Sources,
  tell: (news: ProjectionNews) => void = () => undefined,
): Projections {
  const generations = new Generations(sources.store, feedLease(projections));
  return new Projections(
    projections,
    (projection, generation) => generations.open(projection, generation),
    tell,
    (report) => new Engine(projections, sources, report),
  );
}

/** The commands of an operator about projections, like a separate process. */
export function maintenanceHere(
  projections: readonly Projection<DomainEvent>[],
  sources: Sources,
  running = projectionsHere(projections, sources),
): Maintenance {
  const generations = new Generations(sources.store, feedLease(projections));
  return new Maintenance(projections, running, generations, sources);
}
