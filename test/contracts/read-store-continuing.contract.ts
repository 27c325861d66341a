import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { START } from '../../src/kernel/position.js';
import type { ReadModel, ReadModelDefinition } from '../../src/read-store/read-store.js';
import { definition, type OpenedStore, thing } from './opened-store.js';

/** What every read store guarantees to a version of a read model that goes on with what an earlier one left. */
export function continuingContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} as a store of versions that continue earlier ones`, () => {
    let opened: OpenedStore;
    let left: number;

    beforeEach(async () => {
      opened = await open();
      const model = opened.store.readModel(definition(1));
      await model.write([thing('old', 0)], START, '1');
      await model.finishReplay();
      left = model.generation;
    });

    afterEach(async () => {
      await opened.dispose();
    });

    const continuing = (version: number, continuesFrom: number): ReadModelDefinition => ({
      ...definition(version),
      continuesFrom,
    });

    /** As the next start has it, whose store has not been asked for anything. */
    async function started(wanted: ReadModelDefinition): Promise<ReadModel> {
      const model = (await opened.reopen()).readModel(wanted);
      await model.checkpoint();
      return model;
    }

    async function ownersIn(view: ReadModel): Promise<unknown[]> {
      return (await view.scan('things', '', 9)).map(({ document }) => document.owner);
    }

    it('serves what the earlier one left, says whose it is, and writes to it', async () => {
      const model = await started(continuing(2, 1));
      expect(model).toMatchObject({ generation: left, version: 1 });
      expect(await ownersIn(model)).toEqual(['old']);
      await model.write([thing('old', 1)], '1', '2');
      await model.finishReplay();
      const range = { index: 'by_number', equals: { owner: 'old' }, limit: 9 };
      expect(await model.find('things', range)).toHaveLength(2);
      expect(await model.isSuperseded()).toBe(false);
      const again = await started(continuing(2, 1));
      expect(again).toMatchObject({ generation: left, version: 1 });
      expect(await again.checkpoint()).toBe('2');
    });

    it('goes over to a generation of its own version once one was filled, and keeps to that', async () => {
      const model = await started(continuing(2, 1));
      const filling = await (await opened.another()).fill(continuing(2, 1));
      expect(filling.model.version).toBe(2);
      await filling.model.write([thing('new', 0)], START, '2');
      expect(await ownersIn(model)).toEqual(['old']);
      await filling.serve();
      expect(await model.isSuperseded()).toBe(true);
      expect(await ownersIn(model)).toEqual(['old']);
      await (await model.successor())?.serve();
      expect(model).toMatchObject({ generation: filling.model.generation, version: 2 });
      expect(await ownersIn(model)).toEqual(['new']);
      expect(await model.isSuperseded()).toBe(false);
      expect(await ownersIn(await started(continuing(2, 1)))).toEqual(['new']);
    });

    it('takes it from the earlier version, which begins anew if it comes back', async () => {
      await started(continuing(2, 1));
      const back = await started(definition(1));
      expect(back.version).toBe(1);
      expect(back.generation).toBeGreaterThan(left);
      expect(await back.checkpoint()).toBe(START);
    });

    it('prefers what is of its own version', async () => {
      const own = await started(definition(2));
      await own.write([thing('own', 0)], START, '1');
      const model = await started(continuing(2, 1));
      expect(model.version).toBe(2);
      expect(await ownersIn(model)).toEqual(['own']);
    });

    it.each([
      ['that says nothing of it', definition(2)],
      ['that continues later ones alone', continuing(3, 2)],
      ['before it', continuing(0, 0)],
    ])('leaves it alone in a version %s', async (_, wanted) => {
      const model = await started(wanted);
      expect(model.version).toBe(wanted.version);
      expect(await model.checkpoint()).toBe(START);
      const kept = await started(definition(1));
      expect(await ownersIn(kept)).toEqual(['old']);
    });

    it('judges by the version that began it, not by one that continued it since', async () => {
      await started(continuing(2, 1));
      const beyond = await started(continuing(3, 2));
      expect(await beyond.checkpoint()).toBe(START);
    });

    it('goes on with what was continued before', async () => {
      await started(continuing(2, 1));
      const model = await started(continuing(3, 1));
      expect(model).toMatchObject({ generation: left, version: 1 });
      expect(await ownersIn(model)).toEqual(['old']);
    });

    const things = (indexes: Record<string, readonly string[]>) => ({
      things: { indexes, shared: ['owner'] },
      owners: { indexes: {} },
    });
    const [by_number, by_flag] = [['owner', 'number'], ['flag']];

    it.each<[string, ReadModelDefinition['collections']]>([
      ['a collection', { ...definition().collections, more: { indexes: {} } }],
      ['an indexed field', things({ by_number, by_flag, by_name: ['name'] })],
      ['a field of an index', things({ by_number: [...by_number, 'flag'], by_flag })],
      ['the order of an index', things({ by_number: [...by_number].reverse(), by_flag })],
    ])('never continues what was kept without %s of the later one', async (_, collections) => {
      const model = await started({ ...continuing(2, 1), collections });
      expect(model.version).toBe(2);
      expect(await model.checkpoint()).toBe(START);
      expect(await ownersIn(await started(definition(1)))).toEqual(['old']);
    });
  });
}
