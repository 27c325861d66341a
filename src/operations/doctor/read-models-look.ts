import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { EventRegistry } from '../../event-log/event-registry.js';
import { openEventLog } from '../../event-log/open-event-log.js';
import type { DomainEvent, EventDefinition } from '../../kernel/event.js';
import { examined } from '../../process/examined-directory.js';
import { Generations } from '../../projections/generations.js';
import { CATALOG, feedLease } from '../../projections/names.js';
import type { Projection } from '../../projections/projection.js';
import { type ProjectionStatus, standingOf } from '../../projections/status.js';
import { openReadStore } from '../../read-store/open-read-store.js';
import { type Settings, isEmbedded } from '../../settings/settings.js';
import { type Finding, findingsOf, looked } from './finding.js';

const findings = findingsOf('read models');
const { ok, warn, fail } = findings;

const NONE = ok('there are none yet: the next start folds them');
const REBUILD = 'rebuild it: keyledger projections rebuild';

/** The events and the projections of a service. */
export interface Folded {
  readonly events: readonly EventDefinition[];
  readonly projections: readonly Projection<DomainEvent>[];
}

/** Finds how far each projection has folded the log. Unlike `projections status`, drops no damaged catalog. */
export async function lookAtReadModels(
  settings: Settings,
  { events, projections }: Folded,
): Promise<readonly Finding[]> {
  const todo = 'repair the named part, then run doctor again';
  return looked(findings, todo, async () => {
    const { mongodbUri, dataDir } = settings;
    if (mongodbUri === undefined && !existsSync(join(dataDir, 'read-models'))) return [NONE];
    const directory = isEmbedded(settings) ? examined(dataDir) : undefined;
    const place = { ...settings, dataDir: directory?.path ?? dataDir };
    try {
      const log = await openEventLog(place);
      try {
        const store = await openReadStore(place);
        try {
          const names = (await store.namespaces()).map(({ name }) => name);
          if (!names.includes(CATALOG)) return [NONE];
          const generations = new Generations(store, feedLease(projections));
          const { entries } = await generations.catalogAsItIs();
          const registry = new EventRegistry(events);
          const standings = projections.map((projection) =>
            looked(findings, REBUILD, async () => [
              inWords(await standingOf(projection, entries, generations, { log, registry, store })),
            ]),
          );
          return (await Promise.all(standings)).flat();
        } finally {
          await store.close();
        }
      } finally {
        await log.close();
      }
    } finally {
      directory?.dispose();
    }
  });
}

function inWords({ name, state, lag, problem = '' }: ProjectionStatus): Finding {
  switch (state) {
    case 'live':
      return ok(`${name} is up to date`);
    case 'filling':
      return ok(`${name} is being filled, or was left unfinished: ${lag} events behind`);
    case 'catching-up':
      return warn(
        `${name} is ${lag} events behind the log`,
        'run doctor again: a running service folds them in moments; without one, the next start does',
      );
    case 'degraded':
      return warn(
        `${name} goes on, but ${problem}`,
        'run a release that knows the event, then projections rebuild (docs/operations.md)',
      );
    case 'stuck':
      return fail(`${name} is stuck: ${problem}`, 'docs/operations.md (States of a projection)');
  }
}
