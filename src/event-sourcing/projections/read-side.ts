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
  const folding = new Map(
    types.map((type) => [type, projections.filter((one) => typesOf(one).includes(type))]),
  );
  const own = new Map(projections.map((one) => [one, new OwnDocuments(one)]));
  return {
    name,
    digest: digestOf(projections),
    projections,
    collections: { ...Object.fromEntries(collections), ...ENGINE_COLLECTIONS },
    evolve: (documents, event, isPassedOver) => {
      for (const projection of folding.get(event.type) ?? []) {
        if (isPassedOver(projection.name, event)) continue;
        const its = own.get(projection);
        if (its) projection.evolve(its.among(documents), event);
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

/** The documents of one projection among those of all. One object serves all events, because a replay has millions. */
class OwnDocuments implements Documents {
  readonly #names: ReadonlyMap<string, string>;
  #all: Documents | undefined;

  constructor({ name, collections }: Projection<DomainEvent>) {
    this.#names = new Map(Object.keys(collections).map((own) => [own, collectionOf(name, own)]));
  }

  among(all: Documents): Documents {
    this.#all = all;
    return this;
  }

  get<Kept extends object>(collection: string, key: string): Kept | undefined {
    return this.#documents.get<Kept>(this.#of(collection), key);
  }

  set(collection: string, key: string, document: object): void {
    this.#documents.set(this.#of(collection), key, document);
  }

  create(collection: string, key: string, document: object): void {
    this.#documents.create(this.#of(collection), key, document);
  }

  remove(collection: string, key: string): void {
    this.#documents.remove(this.#of(collection), key);
  }

  get #documents(): Documents {
    if (this.#all) return this.#all;
    throw new Error('no event is folded');
  }

  #of(collection: string): string {
    return this.#names.get(collection) ?? collection;
  }
}
