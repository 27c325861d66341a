import { START } from '../../src/kernel/position.js';
import type {
  DocumentWrite,
  ReadModel,
  ReadModelDefinition,
  ReadView,
} from '../../src/read-store/read-store.js';

const SLOTS = 6;
const LANES = ['left', 'middle', 'right'];

/**
 * A read model of which every batch changes much: each of its documents is moved in an index, one is new, one goes,
 * and one comes back; whatever is seen of it tells whether it is of one batch.
 */
export const numbered: ReadModelDefinition = {
  name: 'numbered',
  version: 1,
  collections: {
    slots: { indexes: { by_place: ['shown', 'place'], by_lane: ['lane', 'place'] } },
    marks: { indexes: { by_batch: ['batch'] } },
    totals: { indexes: {} },
  },
};

export function positionOf(batch: number): string {
  return batch === 0 ? START : String(batch).padStart(6, '0');
}

/** What batch `batch` (from 1) writes. */
export function writesOf(batch: number): DocumentWrite[] {
  const position = positionOf(batch);
  const slots = Array.from({ length: SLOTS }, (_, slot) => ({
    collection: 'slots',
    key: `slot-${slot}`,
    document: {
      shown: (slot + batch) % 2 === 0,
      lane: LANES[(slot + batch) % LANES.length],
      place: (slot * 5 + batch) % SLOTS,
      batch,
    },
    position,
    isNew: batch === 1,
  }));
  const mark = { collection: 'marks', key: `mark-${batch}`, document: { batch }, position };
  const flicker = batch % 2 === 0 ? null : { batch };
  return [
    ...slots,
    { ...mark, isNew: true },
    { ...mark, key: 'flicker', document: flicker, isNew: false },
    { collection: 'totals', key: 'all', document: { batches: batch }, position, isNew: false },
  ];
}

/** Writes batch after batch, as a projector would, up to `last`. */
export async function writeBatches(model: ReadModel, last: number): Promise<void> {
  for (;;) {
    const done = Number(await model.checkpoint());
    if (done >= last) return;
    await model.write(writesOf(done + 1), positionOf(done), positionOf(done + 1));
  }
}

/** Of each way to read it, what that gave. */
export type Everything = Readonly<
  Record<
    'checkpoint' | 'total' | 'shown' | 'hidden' | 'outer' | 'marks' | 'some' | 'scanned',
    unknown
  >
>;

/** Everything that can be read, in one snapshot. */
export function everythingIn(model: ReadModel): Promise<Everything> {
  return model.snapshot(async (view) => ({
    checkpoint: await view.checkpoint(),
    total: await view.get('totals', 'all'),
    shown: await view.find('slots', placed(true)),
    hidden: await view.find('slots', placed(false)),
    outer: await view.find('slots', outer),
    marks: await view.find('marks', { index: 'by_batch', equals: {}, limit: 1_000 }),
    some: [...(await view.getMany('slots', ['slot-1', 'slot-2', 'slot-9']))].sort(),
    scanned: await scanned(view),
  }));
}

function placed(shown: boolean) {
  return { index: 'by_place', equals: { shown }, limit: SLOTS };
}

const outer = { index: 'by_lane', equals: {}, anyOf: ['left', 'right'], limit: SLOTS };

async function scanned(view: ReadView): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (const collection of Object.keys(numbered.collections)) {
    pages.push(await view.scan(collection, '', 1_000));
  }
  return pages;
}
