import { createHash } from 'node:crypto';
import type { DomainEvent, Recorded } from '../../kernel/event.js';
import type { EventLog } from '../event-log/event-log.js';
import type { EventRegistry } from '../event-log/event-registry.js';
import type { Collections, ReadStore } from '../read-store/read-store.js';
import { ENGINE_COLLECTIONS } from './parked-accounts.js';
import { type Documents, type Projection, typesOf } from './projection.js';

export type IsPassedOver = (projection: string, event: Recorded<DomainEvent>) => boolean;

/** All projections of a log as one: they share a namespace, a checkpoint and a generation. */
export interface ReadSide {
  readonly name: string;
  /** A digest of the projections' versions and events, with namespaces and a lease of its own. */
  readonly digest: string;
  readonly projections: readonly Projection<DomainEvent>[];
  readonly collections: Collections;
  /** Lets each projection that folds the event do so, unless it passes the event over. */
  readonly evolve: (
    documents: Documents<never>,
    event: Recorded<DomainEvent>,
    isPassedOver: IsPassedOver,
  ) => void;
}

/** The log that a fold reads, the registry that decodes its events, and the store it writes to. */
export interface Sources {
  readonly log: EventLog;
  readonly registry: EventRegistry;
  readonly store: ReadStore;
}

export function readSideOf(
  name: string,
  projections: readonly Projection<DomainEvent>[],
): ReadSide {
  const collections = projections.flatMap((projection) => Object.entries(projection.collections));
  const types = [...new Set(projections.flatMap(typesOf))];
  const folding = new Map(
    types.map((type) => [
      type,
      projections.filter((projection) => typesOf(projection).includes(type)),
    ]),
  );
  return {
    name,
    digest: digestOf(projections),
    projections,
    collections: { ...Object.fromEntries(collections), ...ENGINE_COLLECTIONS },
    evolve: (documents, event, isPassedOver) => {
      for (const projection of folding.get(event.type) ?? []) {
        if (!isPassedOver(projection.name, event)) projection.evolve(documents, event);
      }
    },
  };
}

/** Returns the collections of the documents, without those of the engine. */
export function documentCollections({ collections }: ReadSide): string[] {
  return Object.keys(collections).filter((name) => !(name in ENGINE_COLLECTIONS));
}

function digestOf(projections: readonly Projection<DomainEvent>[]): string {
  const versions = projections.flatMap(({ name, version, events }) => [
    `${name}.v${version}`,
    ...events.map((event) => `${name}.${event.type}.v${event.version}`),
  ]);
  return createHash('sha256').update(versions.sort().join()).digest('hex').slice(0, 8);
}
