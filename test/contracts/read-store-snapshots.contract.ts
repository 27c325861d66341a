import { describe, expect, it } from '@jest/globals';
import { START } from '../../src/kernel/position.js';
import type { ReadModel, ReadStore, ReadView } from '../../src/read-store/read-store.js';
import { definition, thing } from './opened-store.js';

/**
 * What every read store guarantees of reads that see one state.
 * @param model of `definition`, empty.
 * @param another the same store as another process has it open.
 */
export function snapshotsContract(model: () => ReadModel, another: () => Promise<ReadStore>): void {
  describe('in a snapshot', () => {
    it('lets the reads of a snapshot see one state, whatever is written meanwhile', async () => {
      await model().write([thing('ada', 0, { sum: 0 }), thing('ada', 1, { sum: 0 })], START, '000');
      const write = async (): Promise<void> => {
        for (let sum = 1; sum <= 50; sum++) {
          const [from, to] = [sum - 1, sum].map((number) => String(number).padStart(3, '0'));
          const writes = [0, 1].map((number) => ({
            ...thing('ada', number, { sum }),
            position: to ?? '',
          }));
          await model().write(writes, from ?? '', to ?? '');
          await new Promise(setImmediate);
        }
      };
      const differences: unknown[] = [];
      let reads = 0;
      const read = async (): Promise<void> => {
        const [first, second] = await model().snapshot(
          async (view) =>
            [
              await view.get('things', 'ada/0'),
              (
                await view.find('things', {
                  index: 'by_number',
                  equals: { owner: 'ada' },
                  from: 1,
                  limit: 1,
                })
              )[0],
            ] as const,
        );
        if (first?.document.sum !== second?.sum) differences.push([first, second]);
        reads += 1;
      };
      let writing = true;
      const readers = Array.from({ length: 4 }, async () => {
        while (writing) {
          await read();
          await new Promise(setImmediate);
        }
      });
      await write();
      writing = false;
      await Promise.all(readers);
      expect(differences).toEqual([]);
      expect(reads).toBeGreaterThan(4);
    });

    it('shows a snapshot nothing of what another connection writes between its reads', async () => {
      const pair = (sum: number, position: string) =>
        [0, 1].map((number) => ({ ...thing('ada', number, { sum }), position }));
      await model().write(pair(0, '1'), START, '1');
      await model().finishReplay();
      const other = (await another()).readModel(definition());
      const range = { index: 'by_number', equals: { owner: 'ada' }, limit: 10 };
      const read = async (view: ReadView): Promise<unknown[]> => [
        await view.checkpoint(),
        (await view.get('things', 'ada/0'))?.document.sum,
        (await view.find('things', range)).map(({ sum }) => sum),
        [...(await view.getMany('things', ['ada/0', 'ada/2'])).keys()],
      ];
      const seen = await model().snapshot(async (view) => {
        const before = await read(view);
        await other.write([...pair(1, '2'), thing('ada', 2, { sum: 1 })], '1', '2');
        return [before, await read(view)];
      });
      const old = ['1', 0, [0, 0], ['ada/0']];
      expect(seen).toEqual([old, old]);
      expect(await model().snapshot(read)).toEqual(['2', 1, [1, 1, 1], ['ada/0', 'ada/2']]);
    });

    it('goes on after a snapshot whose reading failed', async () => {
      await expect(model().snapshot(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
      await model().write([thing('ada', 0)], START, '1');
      expect(await model().snapshot((view) => view.get('things', 'ada/0'))).toBeDefined();
    });

    it('lets no snapshot suffer from one that was asked for at once and failed', async () => {
      await model().write([thing('ada', 0)], START, '1');
      const outcomes = await Promise.allSettled([
        model().snapshot((view) => view.get('things', 'ada/0')),
        model().snapshot(() => Promise.reject(new Error('no'))),
        model().snapshot((view) => view.get('things', 'ada/0')),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    });

    it('shows a snapshot what was written before it was asked for, while others wait', async () => {
      const asked = [];
      for (let written = 1; written <= 20; written++) {
        const [from, to] = [written - 1, written].map((place) => String(place).padStart(3, '0'));
        const write = { ...thing('ada', 0, { written }), position: to ?? '' };
        await model().write([write], written === 1 ? START : (from ?? ''), to ?? '');
        const read = (): Promise<unknown> =>
          model().snapshot(async (view) => (await view.get('things', 'ada/0'))?.document.written);
        asked.push(read(), read());
        expect(await read()).toBe(written);
      }
      const seen = (await Promise.all(asked)).map(Number);
      seen.forEach((written, place) => {
        expect(written).toBeGreaterThanOrEqual(Math.floor(place / 2) + 1);
      });
    });
  });
}
