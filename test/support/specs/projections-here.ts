import type { DomainEvent } from '../../../src/kernel/event.js';
import { Engine } from '../../../src/event-sourcing/projections/engine.js';
import { Generations } from '../../../src/event-sourcing/projections/generations.js';
import { Maintenance } from '../../../src/event-sourcing/projections/maintenance.js';
import { feedLease } from '../../../src/event-sourcing/projections/names.js';
import type { Projection } from '../../../src/event-sourcing/projections/projection.js';
import { Projections } from '../../../src/event-sourcing/projections/projections.js';
import type { Sources } from '../../../src/event-sourcing/projections/sources.js';
import type { ProjectionNews } from '../../../src/event-sourcing/projections/standing.js';

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
