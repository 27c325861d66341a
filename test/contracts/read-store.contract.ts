import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Unavailable } from '../../src/kernel/errors.js';
import { START } from '../../src/kernel/position.js';
import { type ReadModel, StaleCheckpointError } from '../../src/read-store/read-store.js';
import { definition, type OpenedStore, thing } from './opened-store.js';
import { partsContract } from './read-store-parts.contract.js';
import { snapshotsContract } from './read-store-snapshots.contract.js';

/** What every read store guarantees. */
export function readStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} as a read store`, () => {
    let opened: OpenedStore;
    let model: ReadModel;

    beforeEach(async () => {
      opened = await open();
      model = opened.store.readModel(definition());
    });

    afterEach(async () => {
      await opened.dispose();
    });

    snapshotsContract(
      () => model,
      () => opened.another(),
    );

    partsContract(() => model);

    it('begins empty at the start of the log', async () => {
      expect(await model.checkpoint()).toBe(START);
      expect(await model.get('things', randomUUID())).toBeUndefined();
    });

    it('moves documents and checkpoint together', async () => {
      await model.write([thing('ada', 0)], START, '1');
      expect(await model.checkpoint()).toBe('1');
      expect(await model.get('things', 'ada/0')).toEqual({
        position: '1',
        document: { owner: 'ada', number: 0 },
      });
    });

    it('refuses a batch that starts from another checkpoint, and keeps nothing of it', async () => {
      await model.write([], START, '1');
      const stale = model.write([thing('ada', 0)], START, '2');
      await expect(stale).rejects.toBeInstanceOf(StaleCheckpointError);
      expect(await model.checkpoint()).toBe('1');
      expect(await model.get('things', 'ada/0')).toBeUndefined();
    });

    it('keeps nothing of a batch that fails at a later document', async () => {
      await model.write([thing('ada', 0, { old: true })], START, '1');
      await model.finishReplay();
      // No JSON can be made of it.
      const broken = thing('ada', 2, { number: 1n });
      const batch = [{ ...thing('ada', 0), position: '2' }, thing('ada', 1), broken];
      await expect(model.write(batch, '1', '2')).rejects.toThrow();
      expect(await model.checkpoint()).toBe('1');
      const old = { position: '1', document: { owner: 'ada', number: 0, old: true } };
      expect(await model.get('things', 'ada/0')).toEqual(old);
      expect(await model.get('things', 'ada/1')).toBeUndefined();
      await model.write(batch.slice(0, 2), '1', '2');
      expect(await model.get('things', 'ada/0')).toMatchObject({ position: '2' });
    });

    it('replaces a document as a whole', async () => {
      await model.write([thing('ada', 0, { extra: true })], START, '1');
      await model.write([{ ...thing('ada', 0), position: '2' }], '1', '2');
      expect(await model.get('things', 'ada/0')).toEqual({
        position: '2',
        document: { owner: 'ada', number: 0 },
      });
    });

    it('gives back documents to the letter', async () => {
      const more = {
        text: 'ünïcødé 😀 "quoted"',
        number: 0.1,
        nothing: null,
        flag: false,
        nested: { list: [1, { two: 2 }] },
      };
      await model.write([thing('ada', 7, more)], START, '1');
      expect((await model.get('things', 'ada/7'))?.document).toEqual({ owner: 'ada', ...more });
    });

    it('gets many at once, those that exist', async () => {
      await model.write([thing('ada', 0), thing('ada', 1)], START, '1');
      const found = await model.getMany('things', ['ada/0', 'ada/1', 'ada/2']);
      expect([...found.keys()].sort()).toEqual(['ada/0', 'ada/1']);
    });

    it('tells keys apart that differ in case, form or an odd character', async () => {
      const keys = ['a', 'A', 'é', 'e\u0301', '$a', 'a.b', 'a/b', '😀'];
      const writes = keys.map((key) => ({ ...thing('x', 0), key, document: { key } }));
      await model.write(writes, START, '1');
      for (const key of keys) {
        expect((await model.get('things', key))?.document).toEqual({ key });
      }
    });

    it('finds an index range in order, bounds included, and no more than asked', async () => {
      const writes = [3, 1, 4, 0, 2].flatMap((number) => [
        thing('ada', number),
        thing('bob', number),
      ]);
      await model.write(writes, START, '1');
      const numbers = async (range: object): Promise<unknown[]> => {
        const asked = { index: 'by_number', equals: { owner: 'ada' }, limit: 10, ...range };
        const found = await model.find<{ owner: string; number: number }>('things', asked);
        expect(found.every(({ owner }) => owner === 'ada')).toBe(true);
        return found.map(({ number }) => number);
      };
      expect(await numbers({})).toEqual([0, 1, 2, 3, 4]);
      expect(await numbers({ from: 1, to: 3 })).toEqual([1, 2, 3]);
      expect(await numbers({ from: 1, limit: 2 })).toEqual([1, 2]);
      expect(await numbers({ from: 5 })).toEqual([]);
    });

    it('finds an index range backwards, and passes over as many as asked', async () => {
      const writes = [3, 1, 4, 0, 2].map((number) => thing('ada', number));
      await model.write([...writes, thing('bob', 9)], START, '1');
      const numbers = async (range: object): Promise<unknown[]> => {
        const asked = { index: 'by_number', equals: { owner: 'ada' }, limit: 10, ...range };
        return (await model.find('things', asked)).map(({ number }) => number);
      };
      expect(await numbers({ descending: true })).toEqual([4, 3, 2, 1, 0]);
      expect(await numbers({ descending: true, to: 3, skip: 1, limit: 2 })).toEqual([2, 1]);
      expect(await numbers({ from: 1, skip: 2 })).toEqual([3, 4]);
      expect(await numbers({ skip: 5 })).toEqual([]);
    });

    it('finds any of several values in the order of the field behind them', async () => {
      const kinds = ['red', 'blue', 'green'];
      const writes = ['ada', 'bob'].flatMap((owner, which) =>
        Array.from({ length: 9 }, (_, place) =>
          thing(owner, 2 * place + which, { kind: kinds[place % 3] }),
        ),
      );
      await model.write(writes, START, '1');
      const numbers = async (range: object): Promise<unknown[]> => {
        const asked = { index: 'by_kind', equals: { owner: 'ada' }, limit: 10, ...range };
        return (await model.find('things', asked)).map(({ number }) => number);
      };
      expect(await numbers({ anyOf: ['blue'] })).toEqual([2, 8, 14]);
      const some = { anyOf: ['green', 'none', 'red'] };
      expect(await numbers(some)).toEqual([0, 4, 6, 10, 12, 16]);
      expect(await numbers({ ...some, descending: true, to: 12, limit: 3 })).toEqual([12, 10, 6]);
      expect(await numbers({ ...some, from: 4, skip: 1, limit: 2 })).toEqual([6, 10]);
      expect(await numbers({ ...some, limit: 1, unneeded: ['owner'] })).toEqual([0]);
      expect(await numbers({ anyOf: ['none'] })).toEqual([]);
      expect(await numbers({ anyOf: [] })).toEqual([]);
      expect(await numbers({ equals: { owner: 'eve' }, anyOf: ['red'] })).toEqual([]);
      const owners = { index: 'by_number', equals: {}, from: 3, limit: 3 };
      expect(await numbers({ ...owners, anyOf: ['eve', 'bob', 'ada'] })).toEqual([3, 4, 5]);
      expect(await numbers({ ...owners, anyOf: ['eve', 'bob'] })).toEqual([3, 5, 7]);
      expect(await numbers({ ...owners, anyOf: ['eve'] })).toEqual([]);
      const [whole] = await model.find('things', { ...owners, anyOf: ['bob'] });
      expect(whole).toEqual({ owner: 'bob', number: 3, kind: 'blue' });
    });

    it('gives all that is needed of documents when some of their fields are not', async () => {
      await model.write([thing('ada', 0, { sum: 7 }), thing('ada', 1, { sum: 8 })], START, '1');
      const range = { index: 'by_number', equals: { owner: 'ada' }, limit: 10 };
      for (const unneeded of [['number'], ['owner', 'number'], ['owner']]) {
        const found = await model.find('things', { ...range, from: 0, unneeded });
        const whole = [0, 1].map((number) => ({ owner: 'ada', number, sum: 7 + number }));
        const needed = ['owner', 'number', 'sum'].filter((field) => !unneeded.includes(field));
        const only = (document: Record<string, unknown>) => needed.map((field) => document[field]);
        expect(found.map(only)).toEqual(whole.map(only));
      }
    });

    it('gives back the field in which documents say their key, whichever way they are read', async () => {
      const named = [1, 2].map((number) => ({ id: `id-${number}`, kind: 'kind', number }));
      const writes = named.map((document) => ({
        ...{ collection: 'named', key: document.id, document, position: '1', isNew: true },
      }));
      await model.write(writes, START, '1');
      const [first, second] = named;
      expect((await model.get('named', 'id-1'))?.document).toEqual(first);
      const many = await model.getMany('named', ['id-2']);
      expect([...many.values()].map(({ document }) => document)).toEqual([second]);
      const scanned = await model.scan('named', '', 9);
      expect(scanned.map(({ document }) => document)).toEqual(named);
      const range = { index: 'by_kind', limit: 9 };
      expect(await model.find('named', { ...range, equals: { kind: 'kind' } })).toEqual(named);
      const any = { ...range, equals: {}, anyOf: ['kind', 'none'], descending: true };
      expect(await model.find('named', any)).toEqual([second, first]);
    });

    it('removes a document, and may keep it again', async () => {
      await model.write([thing('ada', 0), thing('ada', 1)], START, '1');
      await model.write([{ ...thing('ada', 0), document: null, position: '2' }], '1', '2');
      expect(await model.get('things', 'ada/0')).toBeUndefined();
      const range = { index: 'by_number', equals: { owner: 'ada' }, limit: 10 };
      expect(await model.find('things', range)).toMatchObject([{ number: 1 }]);
      await model.write([{ ...thing('ada', 0), position: '3' }], '2', '3');
      expect(await model.get('things', 'ada/0')).toMatchObject({ position: '3' });
    });

    it('takes the removal of what is not there', async () => {
      const gone = { ...thing('ada', 0), document: null };
      await model.write([gone, { ...gone, key: 'ada/1', isNew: true }], START, '1');
      expect(await model.checkpoint()).toBe('1');
    });

    it('finds by a flag', async () => {
      await model.write(
        [thing('a', 0, { flag: true }), thing('a', 1, { flag: false })],
        START,
        '1',
      );
      const range = { index: 'by_flag', equals: { flag: true }, limit: 10 };
      expect(await model.find('things', range)).toMatchObject([{ number: 0 }]);
    });

    it('has no way in but its indexes', async () => {
      const range = { index: 'by_colour', equals: {}, limit: 1 };
      await expect(model.find('things', range)).rejects.toThrow('by_colour');
    });

    it('takes an index that there is not for a fault of whoever asks, and not of its own', async () => {
      const asked = model.find('things', { index: 'by_nothing', equals: {}, limit: 1 });
      const fault: unknown = await asked.catch((error: unknown) => error);
      expect(fault).not.toBeInstanceOf(Unavailable);
      expect(String(fault)).toContain('has no index by_nothing');
    });

    it('keeps collections apart', async () => {
      await model.write([{ ...thing('ada', 0), key: 'k' }], START, '1');
      expect(await model.get('owners', 'k')).toBeUndefined();
    });

    it('finds what was written as new in a replay, whether or not the replay was finished', async () => {
      const fresh = [1, 0, 2].map((number) => ({ ...thing('ada', number), isNew: true }));
      await model.write(fresh.slice(0, 2), START, '1');
      await model.write(fresh.slice(2), '1', '2');
      const range = { index: 'by_number', equals: { owner: 'ada' }, limit: 10 };
      const inOrder = [{ number: 0 }, { number: 1 }, { number: 2 }];
      expect(await model.find('things', range)).toMatchObject(inOrder);
      await model.finishReplay();
      await model.finishReplay();
      await model.write(
        [{ ...thing('ada', 3), isNew: true }, thing('ada', 0, { again: true })],
        '2',
        '3',
      );
      expect(await model.find('things', range)).toMatchObject([
        { number: 0, again: true },
        ...inOrder.slice(1),
        { number: 3 },
      ]);
    });

    it('still has everything after it was opened anew', async () => {
      await model.write([thing('ada', 0)], START, '1');
      model = (await opened.reopen()).readModel(definition());
      expect(await model.checkpoint()).toBe('1');
      expect(await model.get('things', 'ada/0')).toMatchObject({ position: '1' });
    });

    it('starts from nothing when the version changed', async () => {
      await model.write([thing('ada', 0)], START, '1');
      model = (await opened.reopen()).readModel(definition(2));
      expect(await model.checkpoint()).toBe(START);
      expect(await model.get('things', 'ada/0')).toBeUndefined();
    });
  });
}
