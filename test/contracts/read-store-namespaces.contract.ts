import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '../../src/kernel/errors.js';
import { START } from '../../src/kernel/position.js';
import {
  collections,
  type OpenedStore,
  place,
  put,
  thing,
  things,
  writeFolded,
} from './opened-store.js';

const OTHER = 'things.00000000.g2';

/** The guarantees of namespaces in every read store. @param opened an empty store. */
export function namespacesContract(opened: () => OpenedStore): void {
  describe('with several namespaces', () => {
    const names = async (): Promise<unknown[]> =>
      (await opened().store.namespaces()).map(({ name, checkpoint }) => [name, checkpoint]).sort();

    it('has none at first, and then those that were written, each with its checkpoint', async () => {
      expect(await names()).toEqual([]);
      const [one, other] = [things(opened().store), things(opened().store, OTHER)];
      await put(one, thing('ada', 0));
      await put(one);
      await put(other);
      expect(await names()).toEqual([
        ['things.00000000.g1', place(2)],
        [OTHER, place(1)],
      ]);
    });

    it('says which of them serve, also of one that nothing was written to', async () => {
      const [one, other] = [things(opened().store), things(opened().store, OTHER)];
      await put(one, thing('ada', 0));
      await other.serve();
      await put(other, thing('ada', 0));
      const states = await (await opened().another()).namespaces();
      const serving = states.map(({ name, serves, isLocked }) => [name, serves, isLocked]);
      expect(serving.sort()).toEqual([
        ['things.00000000.g1', false, false],
        [OTHER, true, false],
      ]);
      const third = things(opened().store, 'things.00000000.g3');
      await third.serve();
      expect(await names()).toContainEqual(['things.00000000.g3', START]);
      await third.serve();
      await put(third, thing('ada', 0));
      expect(await names()).toContainEqual(['things.00000000.g3', place(1)]);
    });

    it('keeps namespaces and collections apart', async () => {
      const [one, other] = [things(opened().store), things(opened().store, OTHER)];
      await put(one, { ...thing('one', 0), key: 'k' });
      await put(other, { ...thing('other', 0), key: 'k' });
      const owner = async (namespace: typeof one) =>
        (await namespace.read((view) => view.get('things', 'k')))?.owner;
      expect(await owner(one)).toBe('one');
      expect(await owner(other)).toBe('other');
      expect(await one.read((view) => view.get('owners', 'k'))).toBeUndefined();
    });

    it('forgets a namespace that was dropped, which may begin anew under its name', async () => {
      const [one, other] = [things(opened().store), things(opened().store, OTHER)];
      await put(one, thing('ada', 0));
      await put(other, thing('ada', 0));
      await opened().store.drop('things.00000000.g1');
      expect(await names()).toEqual([[OTHER, place(1)]]);
      const again = things(await opened().another());
      expect(await again.checkpoint()).toBe(START);
      expect(await again.read((view) => view.scan('things', '', 9))).toEqual([]);
      await put(again, thing('ada', 1));
      expect(await again.read(async (view) => (await view.scan('things', '', 9)).length)).toBe(1);
      expect(await other.read((view) => view.get('things', 'ada/0'))).toBeDefined();
    });

    it('refuses reads of a namespace that this process dropped, and batches that go on with it', async () => {
      const namespace = things(opened().store);
      await put(namespace, thing('ada', 0));
      await opened().store.drop('things.00000000.g1');
      const read = namespace.read((view) => view.get('things', 'ada/0'));
      await expect(read).rejects.toBeInstanceOf(Unavailable);
      await expect(namespace.write(place(1), place(2), [])).rejects.toThrow();
      expect(await names()).toEqual([]);
    });

    it('takes the drop of a namespace that does not exist', async () => {
      await opened().store.drop('nothing.00000000.g1');
      expect(await names()).toEqual([]);
    });

    it('keeps nothing of a batch whose namespace was dropped meanwhile', async () => {
      const namespace = things(opened().store);
      await put(namespace, thing('ada', 0));
      const dropping = await opened().another();
      const written = writeFolded(namespace, place(1), place(2), async (view) => {
        await view.get('things', 'ada/0');
        await dropping.drop('things.00000000.g1');
        return [{ ...thing('ada', 1), isNew: true }];
      });
      await expect(written).rejects.toThrow();
      expect(await names()).toEqual([]);
    });

    it('fills a namespace that nobody reads yet, and settles it', async () => {
      const filled = opened().store.namespace(OTHER, collections, { isFilled: true });
      const sum = async () => Number((await filled.read((view) => view.get('owners', 'all')))?.sum);
      for (let batch = 0; batch < 20; batch++) {
        await writeFolded(filled, place(batch), place(batch + 1), async (view) => {
          const before = Number((await view.get('owners', 'all'))?.sum ?? 0);
          const all = { collection: 'owners', key: 'all', document: { sum: before + 1 } };
          return [
            { ...all, isNew: batch === 0 },
            { ...thing('ada', batch), isNew: true },
          ];
        });
      }
      expect(await sum()).toBe(20);
      await filled.settle();
      await filled.settle();
      const reader = (await opened().another()).namespace(OTHER, collections);
      const range = { index: 'by_number', equals: { owner: 'ada' }, from: 18, limit: 9 };
      expect(await reader.read((view) => view.range('things', range))).toMatchObject({
        documents: [{ number: 18 }, { number: 19 }],
      });
      await put(reader, thing('ada', 20));
      expect(await names()).toEqual([[OTHER, place(21)]]);
    });

    it('settles the rest later when it was told to end soon', async () => {
      const filled = opened().store.namespace(OTHER, collections, { isFilled: true });
      await put(filled, thing('ada', 0));
      await filled.settle(AbortSignal.abort()).catch(() => undefined);
      await filled.settle();
      expect(await filled.read((view) => view.get('things', 'ada/0'))).toBeDefined();
    });
  });
}
