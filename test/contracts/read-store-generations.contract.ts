import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { START } from '../../src/kernel/position.js';
import type { ReadModel, ReadStore, ReadView } from '../../src/read-store/read-store.js';
import { definition, type OpenedStore, thing } from './opened-store.js';

/** What every read store guarantees when read models are filled anew. */
export function generationsContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} as a store of generations`, () => {
    let opened: OpenedStore;
    let store: ReadStore;
    let model: ReadModel;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
      model = store.readModel(definition());
      await model.write([thing('old', 0)], START, '1');
    });

    afterEach(async () => {
      await opened.dispose();
    });

    async function ownersIn(view: ReadModel): Promise<unknown[]> {
      return (await view.scan('things', '', 9)).map(({ document }) => document.owner);
    }

    it('fills an empty generation that nobody sees, and shows that it does', async () => {
      expect(await store.isFilling(definition())).toBe(false);
      const filling = await store.fill(definition());
      expect(filling.model.generation).toBeGreaterThan(model.generation);
      expect(await filling.model.checkpoint()).toBe(START);
      await filling.model.write([thing('new', 0)], START, '2');
      expect(await ownersIn(filling.model)).toEqual(['new']);
      const other = await opened.another();
      expect(await other.isFilling(definition())).toBe(true);
      expect(await ownersIn(other.readModel(definition()))).toEqual(['old']);
      expect(await model.isSuperseded()).toBe(false);
      expect(await model.successor()).toBeUndefined();
      await filling.discard();
    });

    it('lets it serve whoever opens the read model from then on, and nobody else by itself', async () => {
      const filling = await (await opened.another()).fill(definition());
      await filling.model.write([thing('new', 0)], START, '2');
      await filling.serve();
      expect(await ownersIn(model)).toEqual(['old']);
      await model.write([thing('old', 1)], '1', '2');
      expect(await ownersIn(model)).toEqual(['old', 'old']);
      const later = (await opened.another()).readModel(definition());
      expect(await ownersIn(later)).toEqual(['new']);
      expect(await store.isFilling(definition())).toBe(false);
    });

    it('gives its successor to a read model, which goes over to it when told', async () => {
      const filling = await (await opened.another()).fill(definition());
      await filling.model.write([thing('new', 0)], START, '2');
      await filling.serve();
      expect(await model.isSuperseded()).toBe(true);
      const declined = await model.successor();
      await declined?.discard();
      const next = await model.successor();
      await next?.model.write([thing('new', 1)], '2', '3');
      expect(await ownersIn(model)).toEqual(['old']);
      const { generation } = model;
      await next?.serve();
      expect(model.generation).toBeGreaterThan(generation);
      expect(await model.isSuperseded()).toBe(false);
      expect(await model.checkpoint()).toBe('3');
      expect(await ownersIn(model)).toEqual(['new', 'new']);
      await model.write([thing('new', 2)], '3', '4');
      model = (await opened.reopen()).readModel(definition());
      expect(await ownersIn(model)).toEqual(['new', 'new', 'new']);
    });

    it('fails no read while generations change, and shows none a mixture', async () => {
      let changing = true;
      const seen = new Set<unknown>();
      const readers = Array.from({ length: 4 }, async (_, reader) => {
        while (changing) {
          const get = (view: ReadView) => view.get('things', 'old/0');
          const pair = () =>
            model.snapshot(async (view) => [await get(view), await view.checkpoint()]);
          seen.add(reader % 2 === 0 ? (await get(model))?.position : JSON.stringify(await pair()));
          await new Promise(setImmediate);
        }
      });
      for (const position of ['2', '3', '4', '5', '6']) {
        const filling = await (await opened.another()).fill(definition());
        await filling.model.write([{ ...thing('old', 0), position }], START, position);
        await filling.serve();
        await (await model.successor())?.serve();
        for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
      }
      changing = false;
      await Promise.all(readers);
      const document = { owner: 'old', number: 0 };
      const whole = ['1', '2', '3', '4', '5', '6'].flatMap((position) => [
        position,
        JSON.stringify([{ position, document }, position]),
      ]);
      expect([...seen].filter((one) => !whole.includes(String(one)))).toEqual([]);
      expect(seen.size).toBeGreaterThan(4);
    });

    it('scans every document once, page by page, in the order of the code points of their keys', async () => {
      const keys = ['A', 'a', 'é', '\ue000', '\u{1f600}'];
      const writes = keys.map((key) => ({ ...thing('x', 0), key, document: { key } }));
      const filling = await store.fill(definition());
      await filling.model.write(writes.reverse(), START, '1');
      const scanned: unknown[] = [];
      let after = '';
      for (;;) {
        const page = await filling.model.scan('things', after, 2);
        expect(page.length).toBeLessThanOrEqual(2);
        if (page.length === 0) break;
        scanned.push(...page);
        after = page.at(-1)?.key ?? '';
      }
      expect(scanned).toEqual(keys.map((key) => ({ key, position: '1', document: { key } })));
      await filling.discard();
    });

    it('forgets a generation that was discarded', async () => {
      const filling = await store.fill(definition());
      await filling.model.write([thing('new', 0)], START, '2');
      await filling.discard();
      expect(await store.isFilling(definition())).toBe(false);
      expect(await model.isSuperseded()).toBe(false);
      model = (await opened.reopen()).readModel(definition());
      expect(await ownersIn(model)).toEqual(['old']);
    });

    it('leaves a fill alone while its process lives, whoever starts or fills meanwhile', async () => {
      const first = await (await opened.another()).fill(definition());
      await first.model.write([thing('first', 0)], START, '2');
      const second = await (await opened.another()).fill(definition());
      (await opened.another()).readModel(definition());
      await second.discard();
      await first.serve();
      const later = (await opened.another()).readModel(definition());
      expect(await ownersIn(later)).toEqual(['first']);
    });

    it('never lets a fill serve that its process left', async () => {
      const killed = await opened.another();
      const { model: left } = await killed.fill(definition());
      await left.write([thing('left', 0)], START, '2');
      await killed.close();
      expect(await store.isFilling(definition())).toBe(false);
      const filling = await store.fill(definition());
      expect(await filling.model.checkpoint()).toBe(START);
      await filling.discard();
      model = (await opened.reopen()).readModel(definition());
      expect(await ownersIn(model)).toEqual(['old']);
    });

    it('lets that of two fills serve which was begun last, in whatever order they end', async () => {
      const first = await (await opened.another()).fill(definition());
      const second = await (await opened.another()).fill(definition());
      await first.model.write([thing('first', 0)], START, '2');
      await second.model.write([thing('second', 0)], START, '2');
      await second.serve();
      await first.serve();
      model = (await opened.reopen()).readModel(definition());
      expect(await ownersIn(model)).toEqual(['second']);
    });

    it('keeps what an earlier version had until a later one has caught up', async () => {
      let later = (await opened.reopen()).readModel(definition(2));
      await later.write([thing('later', 0)], START, '1');
      model = (await opened.reopen()).readModel(definition(1));
      expect(await ownersIn(model)).toEqual(['old']);
      later = (await opened.reopen()).readModel(definition(2));
      expect(await ownersIn(later)).toEqual(['later']);
      await later.finishReplay();
      model = (await opened.reopen()).readModel(definition(1));
      expect(await model.checkpoint()).toBe(START);
    });
  });
}
