import type { DomainEvent, Recorded } from '../kernel/event.js';
import type { Change, Document, View } from '../read-store/read-store.js';
import type { Documents, Projection } from './projection.js';

/** How often a batch is folded anew for documents that were not loaded. A fold that asks for more asks without end. */
const MOST_ROUNDS = 32;

/** A document as a batch leaves it. */
interface Slot {
  document: Document | null;
  isChanged: boolean;
  /** The store has no such document. */
  readonly isNew: boolean;
}

type ByKey<Value> = Map<string, Map<string, Value>>;

/**
 * Folds events over the documents of a view, and gives what they change. Which documents the fold reads is found out: the
 * whole batch runs; when documents were missing, its result and its errors are thrown away, they are loaded together, and
 * it runs again. The view is read and nothing is written.
 * @throws what the projection throws, and when it asks for other documents again and again.
 */
export async function fold(
  projection: Projection<DomainEvent>,
  events: readonly Recorded<DomainEvent>[],
  view: Pick<View, 'getMany'>,
): Promise<Change[]> {
  const loaded: ByKey<Document | null> = new Map();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const overlay = new Overlay(loaded);
    const fault = run(projection, events, overlay);
    if (overlay.missing.size === 0) {
      if (fault) throw fault.error;
      return overlay.changes();
    }
    await load(overlay.missing, loaded, view);
  }
  throw new Error(`${projection.name} asks for other documents each time a batch is folded`);
}

/** Goes on after an error, to find out at once what the events behind it read. */
function run(
  projection: Projection<DomainEvent>,
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
  loaded: ByKey<Document | null>,
  view: Pick<View, 'getMany'>,
): Promise<void> {
  const found = [...missing].map(async ([collection, keys]) => {
    const documents = await view.getMany(collection, [...keys]);
    const byKey = entryOf(loaded, collection, () => new Map<string, Document | null>());
    // An absent document is remembered, too.
    for (const key of keys) byKey.set(key, documents.get(key) ?? null);
  });
  await Promise.all(found);
}

/** What a run of a batch changes, over the documents that were loaded. */
class Overlay implements Documents {
  readonly missing = new Map<string, Set<string>>();
  readonly #slots: ByKey<Slot> = new Map();

  constructor(private readonly loaded: ByKey<Document | null>) {}

  get<Kept extends object>(collection: string, key: string): Kept | undefined {
    return (this.#slot(collection, key).document ?? undefined) as Kept | undefined;
  }

  set(collection: string, key: string, document: object): void {
    this.#change(this.#slot(collection, key), document as Document);
  }

  create(collection: string, key: string, document: object): void {
    const slots = this.#slotsOf(collection);
    const known = slots.get(key);
    if (known) this.#change(known, document as Document);
    else slots.set(key, { document: document as Document, isChanged: true, isNew: true });
  }

  remove(collection: string, key: string): void {
    this.#change(this.#slot(collection, key), null);
  }

  changes(): Change[] {
    const changes: Change[] = [];
    for (const [collection, slots] of this.#slots) {
      for (const [key, { document, isChanged, isNew }] of slots) {
        // A document that came and went within the batch was never written.
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
      const stored = this.loaded.get(collection)?.get(key);
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
