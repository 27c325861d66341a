import { createHash } from 'node:crypto';
import type { DomainEvent, Recorded } from '../../kernel/event.js';
import type { Collections, View } from '../read-store/read-store.js';
import { ENGINE_COLLECTIONS } from './parked-accounts.js';
import { type Documents, type Projection, typesOf } from './projection.js';

/** Whether the fold of a projection passes over an event. */
export type IsPassedOver = (projection: string, event: Recorded<DomainEvent>) => boolean;

/** All projections of a log as one: their documents share a namespace, a checkpoint and a generation. */
export interface ReadSide {
  readonly name: string;
  /** A digest of the versions of all projections. Another digest has namespaces and a lease of its own. */
  readonly digest: string;
  readonly projections: readonly Projection<DomainEvent>[];
  readonly collections: Collections;
  /** Lets each projection that folds the event change its documents, unless the projection passes over the event. */
  readonly evolve: (
    documents: Documents,
    event: Recorded<DomainEvent>,
    isPassedOver: IsPassedOver,
  ) => void;
}

export function readSideOf(
  name: string,
  projections: readonly Projection<DomainEvent>[],
): ReadSide {
  const collections = projections.flatMap((projection) =>
    Object.entries(projection.collections).map(
      ([own, definition]) => [collectionOf(projection.name, own), definition] as const,
    ),
  );
  const types = [...new Set(projections.flatMap(typesOf))];
  const named = projections.map((projection) => ({ projection, names: namesOf(projection) }));
  const folding = new Map(
    types.map((type) => [
      type,
      named.filter(({ projection }) => typesOf(projection).includes(type)),
    ]),
  );
  return {
    name,
    digest: digestOf(projections),
    projections,
    collections: { ...Object.fromEntries(collections), ...ENGINE_COLLECTIONS },
    evolve: (documents, event, isPassedOver) => {
      for (const { projection, names } of folding.get(event.type) ?? []) {
        if (isPassedOver(projection.name, event)) continue;
        projection.evolve(new OwnDocuments(names, documents), event);
      }
    },
  };
}

/** Returns the collections of the documents, without those of the engine. */
export function documentsIn({ collections }: ReadSide): string[] {
  return Object.keys(collections).filter((name) => !(name in ENGINE_COLLECTIONS));
}

/** Returns a view of the documents of one projection. */
export function viewOf(projection: string, view: View): View {
  const of = (collection: string): string => collectionOf(projection, collection);
  return {
    checkpoint: view.checkpoint,
    get: (collection, key) => view.get(of(collection), key),
    getMany: (collection, keys) => view.getMany(of(collection), keys),
    range: (collection, range) => view.range(of(collection), range),
    count: (collection, part) => view.count(of(collection), part),
    scan: (collection, after, limit) => view.scan(of(collection), after, limit),
  };
}

function collectionOf(projection: string, collection: string): string {
  return `${projection}.${collection}`;
}

function digestOf(projections: readonly Projection<DomainEvent>[]): string {
  const versions = projections.map(({ name, version }) => `${name}.v${version}`).sort();
  return createHash('sha256').update(versions.join()).digest('hex').slice(0, 8);
}

/** Returns the names that the collections of a projection have among those of all. */
function namesOf({ name, collections }: Projection<DomainEvent>): ReadonlyMap<string, string> {
  return new Map(Object.keys(collections).map((own) => [own, collectionOf(name, own)]));
}

/** The documents of one projection among those of all. */
class OwnDocuments implements Documents {
  constructor(
    private readonly names: ReadonlyMap<string, string>,
    private readonly all: Documents,
  ) {}

  get<Kept extends object>(collection: string, key: string): Kept | undefined {
    return this.all.get<Kept>(this.#of(collection), key);
  }

  set(collection: string, key: string, document: object): void {
    this.all.set(this.#of(collection), key, document);
  }

  create(collection: string, key: string, document: object): void {
    this.all.create(this.#of(collection), key, document);
  }

  remove(collection: string, key: string): void {
    this.all.remove(this.#of(collection), key);
  }

  #of(collection: string): string {
    return this.names.get(collection) ?? collection;
  }
}
