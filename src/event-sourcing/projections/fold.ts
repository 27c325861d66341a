import type { DomainEvent, Recorded } from '../../kernel/event.js';
import type { Change, Document, View } from '../read-store/read-store.js';
import type { Documents, Projection } from './projection.js';

/** How often a batch may run until all of its documents are loaded. A fold that needs more runs would never end. */
const MOST_ROUNDS = 32;

/** A document as a batch leaves it. */
interface Slot {
  document: Document | null;
  isChanged: boolean;
  /** Whether the store has no such document. */
  readonly isNew: boolean;
}

/** How a batch is folded. */
export interface FoldingOptions {
  /** Whether `create` looks for the document. A store that refuses repeats makes this needless. Default: true. */
  readonly looksUp?: boolean;
  /** Called for each event that changed nothing, because what it creates exists already. */
  readonly onRepeat?: (event: Recorded<DomainEvent>) => void;
}

type ByKey<Value> = Map<string, Map<string, Value>>;

/**
 * Folds events over the documents of a view, and returns the changes. Writes nothing. The whole batch runs, to find out
 * which documents it reads. If documents were missing, the result and the errors of the run are discarded, the missing
 * documents are loaded together, and the batch runs again.
 * @throws what the projection throws; an Error when each run asks for other documents.
 */
export async function fold(
  projection: Projection<DomainEvent>,
  events: readonly Recorded<DomainEvent>[],
  view: Pick<View, 'getMany'>,
  { looksUp = true, onRepeat }: FoldingOptions = {},
): Promise<Change[]> {
  const loaded: ByKey<Document | null> = new Map();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const overlay = new Overlay(loaded, looksUp);
    const repeats: Recorded<DomainEvent>[] = [];
    const fault = run(projection, events, overlay, (event) => repeats.push(event));
    if (overlay.missing.size === 0) {
      if (fault) throw fault.error;
      if (onRepeat) repeats.forEach(onRepeat);
      return overlay.changes();
    }
    await load(overlay.missing, loaded, view);
  }
  throw new Error(`${projection.name} asks for other documents each time a batch is folded`);
}

/** Folds the events once. If documents are missing, an error does not end the run, so that it finds all of them. */
function run(
  projection: Projection<DomainEvent>,
  events: readonly Recorded<DomainEvent>[],
  overlay: Overlay,
  repeated: (event: Recorded<DomainEvent>) => void,
): { readonly error: unknown } | undefined {
  let fault: { readonly error: unknown } | undefined;
  for (const event of events) {
    overlay.begin();
    try {
      projection.evolve(overlay, event);
      if (overlay.isRepeat) repeated(event);
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
    // Null says that the store has no such document.
    for (const key of keys) byKey.set(key, documents.get(key) ?? null);
  });
  await Promise.all(found);
}

/** The loaded documents, with the changes that one run of a batch makes to them. */
class Overlay implements Documents {
  readonly missing = new Map<string, Set<string>>();
  readonly #slots: ByKey<Slot> = new Map();
  #hasRefused = false;
  #hasChanged = false;

  constructor(
    private readonly loaded: ByKey<Document | null>,
    private readonly looksUp: boolean,
  ) {}

  /** Begins the next event. */
  begin(): void {
    this.#hasRefused = false;
    this.#hasChanged = false;
  }

  /** Whether the event did nothing but create what exists already. */
  get isRepeat(): boolean {
    return this.#hasRefused && !this.#hasChanged;
  }

  get<Kept extends object>(collection: string, key: string): Kept | undefined {
    return (this.#slot(collection, key).document ?? undefined) as Kept | undefined;
  }

  set(collection: string, key: string, document: object): void {
    this.#change(this.#slot(collection, key), document as Document);
  }

  create(collection: string, key: string, document: object): boolean {
    const slots = this.#slotsOf(collection);
    let slot = slots.get(key);
    if (!slot && !this.looksUp) {
      slot = { document: null, isChanged: false, isNew: true };
      slots.set(key, slot);
    }
    slot ??= this.#slot(collection, key);
    if (slot.document !== null) {
      this.#hasRefused = true;
      return false;
    }
    this.#change(slot, document as Document);
    return true;
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
    this.#hasChanged = true;
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
