import { describe, expect, it } from '@jest/globals';
import { START } from '../../src/kernel/position.js';
import { StaleCheckpointError, type View } from '../../src/event-sourcing/read-store/read-store.js';
import {
  numbersIn,
  type OpenedStore,
  place,
  put,
  thing,
  things,
  writeFolded,
} from './opened-store.js';

const ALL = { index: 'by_number', equals: { owner: 'ada' } };

/** The guarantees of views in every read store. @param opened an empty store. */
export function viewsContract(opened: () => OpenedStore): void {
  describe('in a view', () => {
    const pair = (sum: number) => [0, 1].map((number) => thing('ada', number, { sum }));

    it('shows one state, whatever is written meanwhile', async () => {
      const namespace = things(opened().store);
      await put(namespace, ...pair(0));
      let writing = true;
      const seen = new Set<unknown>();
      const readers = Array.from({ length: 4 }, async () => {
        while (writing) {
          const sums = await namespace.read(async (view) => {
            const first = await view.get('things', 'ada/0');
            const { documents } = await view.range('things', { ...ALL, from: 1, limit: 1 });
            return [view.checkpoint, first?.sum, documents[0]?.sum];
          });
          seen.add(JSON.stringify(sums));
          await new Promise(setImmediate);
        }
      });
      for (let sum = 1; sum <= 50; sum++) {
        await put(namespace, ...pair(sum));
        await new Promise(setImmediate);
      }
      writing = false;
      await Promise.all(readers);
      const whole = Array.from({ length: 51 }, (_, sum) =>
        JSON.stringify([place(sum + 1), sum, sum]),
      );
      expect([...seen].filter((one) => !whole.includes(String(one)))).toEqual([]);
      expect(seen.size).toBeGreaterThan(4);
    });

    it('shows nothing of what another process writes between its reads', async () => {
      const namespace = things(opened().store);
      await put(namespace, ...pair(0));
      const other = things(await opened().another());
      const read = async (view: View): Promise<unknown[]> => [
        view.checkpoint,
        (await view.get('things', 'ada/0'))?.sum,
        await numbersIn(view, ALL),
        await view.count('things', ALL),
        [...(await view.getMany('things', ['ada/0', 'ada/2'])).keys()],
        (await view.scan('things', '', 9)).map(({ key, document }) => [key, document.sum]),
      ];
      const seen = await namespace.read(async (view) => {
        const before = await read(view);
        await put(other, ...pair(1), thing('ada', 2, { sum: 1 }));
        return [before, await read(view)];
      });
      const scanned = [0, 1].map((number) => [`ada/${number}`, 0]);
      const old = [place(1), 0, [0, 1], 2, ['ada/0'], scanned];
      expect(seen).toEqual([old, old]);
      expect((await namespace.read(read)).slice(0, 4)).toEqual([place(2), 1, [0, 1, 2], 3]);
    });

    it('shows what was written before it was asked for, while others wait', async () => {
      const namespace = things(opened().store);
      const asked: Promise<unknown>[] = [];
      for (let sum = 1; sum <= 20; sum++) {
        await put(namespace, thing('ada', 0, { sum }));
        const read = () => namespace.read(async (view) => (await view.get('things', 'ada/0'))?.sum);
        asked.push(read(), read());
        expect(await read()).toBe(sum);
      }
      (await Promise.all(asked)).forEach((sum, nth) => {
        expect(sum).toBeGreaterThanOrEqual(Math.floor(nth / 2) + 1);
      });
    });

    it('lets no read suffer from one that was asked for at once and failed', async () => {
      const namespace = things(opened().store);
      await put(namespace, thing('ada', 0));
      const outcomes = await Promise.allSettled([
        namespace.read((view) => view.get('things', 'ada/0')),
        namespace.read(() => Promise.reject(new Error('no'))),
        namespace.read((view) => view.get('things', 'ada/0')),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      await put(namespace, thing('ada', 1));
    });

    it('takes one of two batches that were folded from one state, and refuses the other', async () => {
      const stores = [opened().store, await opened().another()];
      const namespaces = stores.map((store) => things(store));
      for (let batch = 0; batch < 10; batch++) {
        const outcomes = await Promise.allSettled(
          namespaces.map((namespace, writer) =>
            writeFolded(namespace, place(batch), place(batch + 1), async (view) => {
              const sum = Number((await view.get('things', 'ada/0'))?.sum ?? 0) + 1;
              return [
                thing('ada', 0, { sum }),
                { ...thing(`writer ${writer}`, batch), isNew: true },
              ];
            }),
          ),
        );
        const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
        expect(refused.map(({ reason }) => reason as unknown)).toEqual([
          expect.any(StaleCheckpointError),
        ]);
      }
      const { sum, owners } = await things(opened().store).read(async (view) => ({
        sum: (await view.get('things', 'ada/0'))?.sum,
        owners: await numbersIn(view, { index: 'by_number', equals: {}, skip: 1 }),
      }));
      expect(sum).toBe(10);
      expect(owners.sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    });

    it('is of the start in a fold that begins there', async () => {
      await writeFolded(things(opened().store), START, place(1), async (view) => {
        expect(view.checkpoint).toBe(START);
        expect(await view.scan('things', '', 9)).toEqual([]);
        return [];
      });
    });
  });
}
