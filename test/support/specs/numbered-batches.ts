import { START } from '../../../src/kernel/position.js';
import {
  type Change,
  type Collections,
  type Document,
  type Namespace,
  type ReadStore,
  StaleCheckpointError,
  type View,
} from '../../../src/event-sourcing/read-store/read-store.js';
import { writeFolded } from '../../contracts/opened-store.js';
import { eventually } from '../harness/eventually.js';

const SLOTS = 6;
const LANES = ['left', 'middle', 'right'];

/**
 * Every batch changes many documents: each slot moves in two indexes, one mark is new, one document
 * goes, and one comes back. So any mixture of two batches is visible.
 */
const collections: Collections = {
  slots: { indexes: { by_place: ['shown', 'place'], by_lane: ['lane', 'place'] } },
  marks: { indexes: { by_batch: ['batch'] } },
  totals: { indexes: {} },
};

export function numbered(store: ReadStore): Namespace {
  return store.namespace('numbered.00000000.g1', collections);
}

export function positionOf(batch: number): string {
  return batch === 0 ? START : String(batch).padStart(6, '0');
}

/** Folds batch `batch` (from 1) over the state before it. */
export async function foldOf(batch: number, view: View): Promise<Change[]> {
  const slots = Array.from({ length: SLOTS }, (_, slot) => `slot-${slot}`);
  const before = await view.getMany('slots', slots);
  const flicker = await view.get('marks', 'flicker');
  const total = await view.get('totals', 'all');
  return [
    ...slots.map((key, slot) => ({
      collection: 'slots',
      key,
      document: slotOf(slot, batch, before.get(key)),
      isNew: !before.has(key),
    })),
    { collection: 'marks', key: `mark-${batch}`, document: { batch }, isNew: true },
    { collection: 'marks', key: 'flicker', document: flicker ? null : { batch }, isNew: !flicker },
    {
      collection: 'totals',
      key: 'all',
      document: { batches: Number(total?.batches ?? 0) + 1 },
      isNew: !total,
    },
  ];
}

function slotOf(slot: number, batch: number, before: Document | undefined): Document {
  return {
    shown: (slot + batch) % 2 === 0,
    lane: LANES[(slot + batch) % LANES.length],
    place: (slot * 5 + batch) % SLOTS,
    changes: Number(before?.changes ?? 0) + 1,
  };
}

/** Writes the batch after `batch`. */
export function writeNext(namespace: Namespace, batch: number): Promise<void> {
  const fold = (view: View): Promise<Change[]> => foldOf(batch + 1, view);
  return writeFolded(namespace, positionOf(batch), positionOf(batch + 1), fold);
}

/**
 * Writes batch after batch up to `last`, beside others that may do the same.
 * @param givesWayMs how long it waits after a refused write.
 */
export async function writeBatches(
  namespace: Namespace,
  last: number,
  givesWayMs = 0,
): Promise<void> {
  for (;;) {
    const done = Number(await namespace.checkpoint());
    if (done >= last) return;
    try {
      await writeNext(namespace, done);
    } catch (error) {
      if (!(error instanceof StaleCheckpointError)) throw error;
      const hasMoved = async (): Promise<boolean> =>
        Number(await namespace.checkpoint()) > done + 1;
      await eventually('others go on', hasMoved, givesWayMs).catch(() => undefined);
    }
  }
}

/** Everything that a view can read, by the way of reading. */
export type Everything = Readonly<
  Record<'checkpoint' | 'shown' | 'hidden' | 'outer' | 'marks' | 'some' | 'total', unknown>
> & { readonly scanned: Readonly<Record<string, ReadonlyMap<string, unknown>>> };

/** Reads everything in one view. */
export function everythingIn(namespace: Namespace): Promise<Everything> {
  return namespace.read(async (view) => ({
    checkpoint: view.checkpoint,
    total: await view.get('totals', 'all'),
    shown: (await view.range('slots', placed(true))).documents,
    hidden: (await view.range('slots', placed(false))).documents,
    outer: (await view.range('slots', outer)).documents,
    marks: (await view.range('marks', { index: 'by_batch', equals: {}, limit: 1_000 })).documents,
    some: [...(await view.getMany('slots', ['slot-1', 'slot-2', 'slot-9']))].sort(),
    scanned: await scanned(view),
  }));
}

/** Gives the state after a number of batches by one undisturbed writer. */
export async function expectedAfter(batches: number): Promise<Everything> {
  const state = new Map<string, Map<string, Document>>();
  for (const name of Object.keys(collections)) state.set(name, new Map());
  const of = (name: string): Map<string, Document> =>
    state.get(name) ?? new Map<string, Document>();
  for (let batch = 1; batch <= batches; batch++) {
    const get = (name: string, key: string): Document | undefined => of(name).get(key);
    for (const change of await foldOf(batch, naive(positionOf(batch - 1), get))) {
      if (change.document === null) of(change.collection).delete(change.key);
      else of(change.collection).set(change.key, change.document);
    }
  }
  const slots = [...of('slots').values()];
  const inOrder = (some: Document[], ...fields: string[]): Document[] =>
    some.sort((a, b) => {
      const field = fields.find((name) => a[name] !== b[name]);
      return field === undefined ? 0 : Number(a[field]) - Number(b[field]);
    });
  const isOuter = ({ lane }: Document): boolean => lane === 'left' || lane === 'right';
  const some = [...of('slots')].filter(([key]) => ['slot-1', 'slot-2'].includes(key));
  return {
    checkpoint: positionOf(batches),
    total: of('totals').get('all'),
    shown: inOrder(
      slots.filter(({ shown }) => shown),
      'place',
    ),
    hidden: inOrder(
      slots.filter(({ shown }) => !shown),
      'place',
    ),
    outer: inOrder(slots.filter(isOuter), 'place'),
    marks: inOrder([...of('marks').values()], 'batch'),
    some: some.sort(),
    scanned: Object.fromEntries(state),
  };
}

/** Makes a view of a plain map, for folds that read documents by key. */
export function naive(
  checkpoint: string,
  get: (collection: string, key: string) => Document | undefined,
): View {
  const none = (): Promise<never> => Promise.reject(new Error('the fold looks up by key alone'));
  return {
    checkpoint,
    get: async (collection, key) => get(collection, key),
    getMany: async (collection, keys) => {
      const found = new Map<string, Document>();
      for (const key of keys) {
        const document = get(collection, key);
        if (document) found.set(key, document);
      }
      return found;
    },
    range: none,
    records: none,
    count: none,
    scan: none,
  };
}

function placed(shown: boolean) {
  return { index: 'by_place', equals: { shown }, limit: SLOTS };
}

const outer = { index: 'by_lane', equals: {}, anyOf: ['left', 'right'], limit: SLOTS };

async function scanned(view: View): Promise<Record<string, ReadonlyMap<string, Document>>> {
  const all: Record<string, ReadonlyMap<string, Document>> = {};
  for (const name of Object.keys(collections)) {
    const rows = await view.scan(name, '', 1_000);
    all[name] = new Map(rows.map(({ key, document }) => [key, document]));
  }
  return all;
}
