import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { numbered, positionOf, writeBatches } from '../../test/specs/numbered-batches.js';
import type { DocumentWrite, ReadModel } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { Comparing, type Comparison, type Examined } from './compare.js';

/** Six slots, a mark for each batch, a total, and after an odd number of batches one more. */
const DOCUMENTS_AFTER_3 = 11;

describe('a comparison', () => {
  let stores: SqliteReadStore[];
  let right: ReadModel;
  let stored: ReadModel;

  beforeEach(() => {
    stores = [new SqliteReadStore(':memory:'), new SqliteReadStore(':memory:')];
    [right, stored] = stores.map((store) => store.readModel(numbered)) as [ReadModel, ReadModel];
  });

  afterEach(async () => {
    for (const store of stores) await store.close();
  });

  const upTo = (batch: number, stands = false): Examined => ({
    view: stored,
    upTo: positionOf(batch),
    stands,
  });

  async function spoil(write: Pick<DocumentWrite, 'key' | 'document' | 'position'>): Promise<void> {
    const checkpoint = await stored.checkpoint();
    await stored.write([{ collection: 'slots', isNew: false, ...write }], checkpoint, checkpoint);
  }

  async function settled(batch: number): Promise<Comparison> {
    const comparing = new Comparing(numbered, right, undefined);
    await comparing.all(upTo(batch));
    await comparing.again(upTo(batch, true));
    return comparing.result;
  }

  it('finds no difference between equals, and counts what there is', async () => {
    await writeBatches(right, 3);
    await writeBatches(stored, 3);
    expect(await settled(3)).toEqual({ documents: DOCUMENTS_AFTER_3, differences: [] });
  });

  it('names what is missing, is too much, or is otherwise, be it in its position', async () => {
    await writeBatches(right, 3);
    await writeBatches(stored, 3);
    await spoil({ key: 'slot-1', document: null, position: positionOf(3) });
    await spoil({ key: 'slot-3', document: { batch: 3 }, position: positionOf(3) });
    const whole = (await stored.get('slots', 'slot-4'))?.document ?? null;
    await spoil({ key: 'slot-4', document: whole, position: positionOf(2) });
    await spoil({ key: 'slot-9', document: {}, position: positionOf(3) });
    expect((await settled(3)).differences).toEqual([
      { collection: 'slots', key: 'slot-1', kind: 'missing' },
      { collection: 'slots', key: 'slot-3', kind: 'different' },
      { collection: 'slots', key: 'slot-4', kind: 'different' },
      { collection: 'slots', key: 'slot-9', kind: 'extra' },
    ]);
  });

  it('takes for no difference the order of fields', async () => {
    await writeBatches(right, 3);
    await writeBatches(stored, 3);
    const slot = { key: 'slot-3', position: positionOf(3) };
    await right.write(
      [{ collection: 'slots', isNew: false, ...slot, document: { a: 1, b: { c: 2, d: 3 } } }],
      positionOf(3),
      positionOf(3),
    );
    await spoil({ ...slot, document: { b: { d: 3, c: 2 }, a: 1 } });
    expect((await settled(3)).differences).toEqual([]);
  });

  it('takes for no difference what has only gone on since', async () => {
    await writeBatches(right, 2);
    await writeBatches(stored, 3);
    const comparing = new Comparing(numbered, right, undefined);
    await comparing.all(upTo(2));
    expect(comparing.isUnsettled).toBe(true);
    await writeBatches(stored, 4);
    await writeBatches(right, 3);
    await comparing.again(upTo(3));
    expect(comparing.isUnsettled).toBe(true);
    await writeBatches(right, 4);
    await comparing.again(upTo(4));
    await comparing.again(upTo(4, true));
    expect(comparing.result.differences).toEqual([]);
    expect(comparing.isUnsettled).toBe(false);
  });

  it('still finds a difference in what went on meanwhile', async () => {
    await writeBatches(right, 2);
    await writeBatches(stored, 3);
    await spoil({ key: 'slot-3', document: { batch: 30 }, position: positionOf(3) });
    const comparing = new Comparing(numbered, right, undefined);
    await comparing.all(upTo(2));
    await writeBatches(right, 3);
    await comparing.again(upTo(3));
    expect(comparing.result.differences).toEqual([
      { collection: 'slots', key: 'slot-3', kind: 'different' },
    ]);
  });
});
