import type { DomainEvent, Recorded } from '../../kernel/event.js';
import type { Change, Document, View } from '../read-store/read-store.js';
import { KnownDocuments } from './known-documents.js';
import type { Documents, Projection } from './projection.js';

/** How often a batch may run until its documents are loaded. A fold that needs more never ends. */
const MOST_ROUNDS = 32;

/** A document as a batch leaves it. */
interface Slot {
  document: Document | null;
  isChanged: boolean;
  /** Whether the store has no such document. */
  readonly isNew: boolean;
}

type ByKey<Value> = Map<string, Map<string, Value>>;

export type Folding = Pick<Projection<DomainEvent>, 'name' | 'evolve'>;

/**
 * Folds events over the documents of a view, and returns the changes. Writes nothing. The whole
 * batch runs, to find out which documents it reads. If some were missing, the result and the errors
 * of the run are discarded, these documents are loaded together, and the batch runs again.
 * @param known the documents that need not be loaded. `fold` adds those that it loads.
 * @throws the error of the projection, or an Error when each run asks for other documents.
 */
export async function fold(
  projection: Folding,
  events: readonly Recorded<DomainEvent>[],
  view: Pick<View, 'getMany'>,
  known = new KnownDocuments(),
): Promise<Change[]> {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const overlay = new Overlay(known);
    const fault = run(projection, events, overlay);
    if (overlay.missing.size === 0) {
      if (fault) throw fault.error;
      return overlay.changes();
    }
    await load(overlay.missing, known, view);
  }
  throw new Error(`${projection.name} asks for other documents each time a batch is applied`);
}

/** Folds the events once. While documents are missing, goes on after errors, to find them all. */
function run(
  projection: Folding,
  events: readonly Recorded<DomainEvent>[],
  overlay: Overlay,
): { readonly error: unknown } | undefined {
  let fault: { readonly error: unknown } | undefined;
  for (const event of events) {
    try {
      projection.evolve(overlay, event);
    } catch (error) {
      fault ??= { error };
      if (overlay.missing.size === 0) return fault;
    }
  }
  return fault;
}

async function load(
  missing: ReadonlyMap<string, ReadonlySet<string>>,
  known: KnownDocuments,
  view: Pick<View, 'getMany'>,
): Promise<void> {
  const found = [...missing].map(async ([collection, keys]) => {
    const documents = await view.getMany(collection, [...keys]);
    for (const key of keys) known.add(collection, key, documents.get(key) ?? null);
  });
  await Promise.all(found);
}

/** The known documents, with the changes that one run of a batch makes to them. */
class Overlay implements Documents<never> {
  readonly missing = new Map<string, Set<string>>();
  readonly #slots: ByKey<Slot> = new Map();

  constructor(private readonly known: KnownDocuments) {}

  /** Nobody else writes these documents, so their types are those that the projection names. */
  get<Kept>(collection: string, key: string): Kept | undefined {
    return (this.#slot(collection, key).document ?? undefined) as Kept | undefined;
  }

  set(collection: string, key: string, document: Document): void {
    this.#change(this.#slot(collection, key), document);
  }

  create(collection: string, key: string, document: Document): void {
    const slots = this.#slotsOf(collection);
    const slot = slots.get(key) ?? { document: null, isChanged: false, isNew: true };
    slots.set(key, slot);
    this.#change(slot, document);
  }

  remove(collection: string, key: string): void {
    this.#change(this.#slot(collection, key), null);
  }

  changes(): Change[] {
    const changes: Change[] = [];
    for (const [collection, slots] of this.#slots) {
      for (const [key, { document, isChanged, isNew }] of slots) {
        // A document that the batch created and removed was never written.
        if (!isChanged || (isNew && document === null)) continue;
        changes.push({ collection, key, document, isNew });
      }
    }
    return changes;
  }

  #change(slot: Slot, document: Document | null): void {
    slot.document = document;
    slot.isChanged = true;
  }

  #slot(collection: string, key: string): Slot {
    const slots = this.#slotsOf(collection);
    let slot = slots.get(key);
    if (!slot) {
      const stored = this.known.get(collection, key);
      if (stored === undefined) entryOf(this.missing, collection, () => new Set<string>()).add(key);
      slot = { document: stored ?? null, isChanged: false, isNew: stored === null };
      slots.set(key, slot);
    }
    return slot;
  }

  #slotsOf(collection: string): Map<string, Slot> {
    return entryOf(this.#slots, collection, () => new Map<string, Slot>());
  }
}

function entryOf<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}
