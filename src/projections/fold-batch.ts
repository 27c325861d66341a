import type { DomainEvent, Recorded } from '../kernel/event.js';
import { type Position, START } from '../kernel/position.js';
import type { Document, DocumentWrite, ReadModel } from '../read-store/read-store.js';
import type { DocumentRef, Lookup, Projection } from './projection.js';

interface Slot {
  document: Document | undefined;
  position: Position;
  changed: boolean;
  readonly isNew: boolean;
}

/**
 * Folds events over the documents they touch and gives what must be written. Reads from `model`, writes nothing. A
 * document that already reflects an event refuses it, and an event that everything it touches reflects is passed over:
 * what it creates was written before.
 */
export async function foldBatch(
  projection: Projection<DomainEvent>,
  events: readonly Recorded<DomainEvent>[],
  model: Pick<ReadModel, 'getMany'>,
): Promise<DocumentWrite[]> {
  const slots = await loadSlots(projection, events, model);
  const lookup: Lookup = (collection, key) => slotOf(collection, key).document;
  const slotOf = (collection: string, key: string): Slot => {
    const slot = slots.get(collection)?.get(key);
    if (!slot)
      throw new Error(`${projection.name} did not say that it touches ${collection}/${key}`);
    return slot;
  };
  const reflects =
    (event: Recorded<DomainEvent>) =>
    ({ collection, key }: DocumentRef): boolean =>
      slotOf(collection, key).position >= event.position;
  for (const event of events) {
    const touched = projection.touches(event);
    if (touched.length > 0 && touched.every(reflects(event))) continue;
    const also = projection.alsoTouches?.(lookup, event) ?? [];
    if (also.length > 0) await loadMissing(slots, also, model);
    const changes = projection.evolve(lookup, event);
    for (const { collection, key, document } of changes) {
      const slot = slotOf(collection, key);
      if (slot.position >= event.position) continue;
      slot.document = document ?? undefined;
      slot.position = event.position;
      slot.changed = true;
    }
  }
  return changedOf(slots);
}

type Slots = Map<string, Map<string, Slot>>;

async function loadSlots(
  projection: Projection<DomainEvent>,
  events: readonly Recorded<DomainEvent>[],
  model: Pick<ReadModel, 'getMany'>,
): Promise<Slots> {
  const slots: Slots = new Map();
  for (const collection of Object.keys(projection.collections)) slots.set(collection, new Map());
  for (const event of events) {
    for (const { collection, key } of projection.touches(event)) {
      slots.get(collection)?.set(key, emptySlot(false));
    }
  }
  for (const [collection, byKey] of slots) {
    if (byKey.size === 0) continue;
    for (const [key, kept] of await model.getMany(collection, [...byKey.keys()])) {
      byKey.set(key, { changed: false, isNew: false, ...kept });
    }
  }
  for (const event of events) {
    for (const { collection, key } of projection.creates?.(event) ?? []) {
      slots.get(collection)?.set(key, emptySlot(true));
    }
  }
  return slots;
}

async function loadMissing(
  slots: Slots,
  refs: readonly DocumentRef[],
  model: Pick<ReadModel, 'getMany'>,
): Promise<void> {
  for (const { collection, key } of refs) {
    const byKey = slots.get(collection);
    if (!byKey || byKey.has(key)) continue;
    const kept = (await model.getMany(collection, [key])).get(key);
    byKey.set(key, kept ? { changed: false, isNew: false, ...kept } : emptySlot(false));
  }
}

function emptySlot(isNew: boolean): Slot {
  return { document: undefined, position: START, changed: false, isNew };
}

function changedOf(slots: Slots): DocumentWrite[] {
  const writes: DocumentWrite[] = [];
  for (const [collection, byKey] of slots) {
    for (const [key, { document, position, changed, isNew }] of byKey) {
      // What came and went within the batch was never written.
      if (!changed || (isNew && !document)) continue;
      writes.push({ collection, key, document: document ?? null, position, isNew });
    }
  }
  return writes;
}
