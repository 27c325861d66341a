import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { START } from '../../src/kernel/position.js';
import {
  type Namespace,
  type Row,
  StaleCheckpointError,
} from '../../src/event-sourcing/read-store/read-store.js';
import {
  noThing,
  numbersIn,
  type OpenedStore,
  place,
  put,
  thing,
  things,
  writeFolded,
} from './opened-store.js';
import { leasesContract } from './read-store-leases.contract.js';
import { namespacesContract } from './read-store-namespaces.contract.js';
import { rangesContract } from './read-store-ranges.contract.js';
import { viewsContract } from './read-store-views.contract.js';

/** The guarantees of every read store. */
export function readStoreContract(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} as a read store`, () => {
    let opened: OpenedStore;
    let namespace: Namespace;

    beforeEach(async () => {
      opened = await open();
      namespace = things(opened.store);
    });

    afterEach(async () => {
      await opened.dispose();
    });

    rangesContract(() => namespace);
    viewsContract(() => opened);
    namespacesContract(() => opened);
    leasesContract(() => opened);

    const get = (key: string) => namespace.read((view) => view.get('things', key));

    it('begins empty at the start of the log', async () => {
      expect(await namespace.checkpoint()).toBe(START);
      expect(await get(randomUUID())).toBeUndefined();
      expect(await namespace.read(async (view) => view.checkpoint)).toBe(START);
    });

    it('moves documents and checkpoint together', async () => {
      await namespace.write(START, '1', [thing('ada', 0)]);
      expect(await namespace.checkpoint()).toBe('1');
      const both = await namespace.read(async (view) => [
        view.checkpoint,
        await view.get('things', 'ada/0'),
      ]);
      expect(both).toEqual(['1', { owner: 'ada', number: 0 }]);
    });

    it('moves the checkpoint alone when nothing changes', async () => {
      await put(namespace, thing('ada', 0));
      await put(namespace);
      expect(await namespace.checkpoint()).toBe(place(2));
      expect(await get('ada/0')).toBeDefined();
    });

    it('refuses a batch that starts from another checkpoint, and keeps nothing of it', async () => {
      await namespace.write(START, '1', []);
      for (const from of [START, '0', '2']) {
        const stale = namespace.write(from, '3', [thing('ada', 0)]);
        await expect(stale).rejects.toBeInstanceOf(StaleCheckpointError);
      }
      expect(await namespace.checkpoint()).toBe('1');
      expect(await get('ada/0')).toBeUndefined();
      await namespace.write('1', '2', [thing('ada', 1)]);
      expect(await get('ada/1')).toBeDefined();
    });

    it('keeps nothing of a batch that fails at a later document', async () => {
      await put(namespace, thing('ada', 0, { old: true }));
      // A document that cannot be written as JSON.
      const broken = thing('ada', 2, { number: 1n });
      const batch = [thing('ada', 0), thing('ada', 1), broken];
      await expect(put(namespace, ...batch)).rejects.toThrow();
      expect(await namespace.checkpoint()).toBe(place(1));
      expect(await get('ada/0')).toEqual({ owner: 'ada', number: 0, old: true });
      expect(await get('ada/1')).toBeUndefined();
      await put(namespace, ...batch.slice(0, 2));
      expect(await get('ada/0')).toEqual({ owner: 'ada', number: 0 });
      expect(await get('ada/1')).toBeDefined();
    });

    it('passes on the error of a fold that fails, and keeps nothing', async () => {
      const failing = writeFolded(namespace, START, '1', () => Promise.reject(new Error('no')));
      await expect(failing).rejects.toThrow('no');
      expect(await namespace.checkpoint()).toBe(START);
      await put(namespace, thing('ada', 0));
      expect(await get('ada/0')).toBeDefined();
    });

    it('shows a fold the state at its checkpoint, in every way to read it', async () => {
      await put(namespace, thing('ada', 0), thing('ada', 1), thing('bob', 2));
      await put(namespace, thing('ada', 0, { again: true }), noThing('ada', 1));
      let seen: unknown;
      await writeFolded(namespace, place(2), place(3), async (view) => {
        seen = {
          checkpoint: view.checkpoint,
          get: await view.get('things', 'ada/0'),
          gone: await view.get('things', 'ada/1'),
          many: [...(await view.getMany('things', ['ada/1', 'bob/2'])).keys()],
          range: await numbersIn(view, { index: 'by_number', equals: {} }),
          scan: (await view.scan('things', '', 9)).map(({ key }) => key),
        };
        return [];
      });
      expect(seen).toEqual({
        checkpoint: place(2),
        get: { owner: 'ada', number: 0, again: true },
        gone: undefined,
        many: ['bob/2'],
        range: [0, 2],
        scan: ['ada/0', 'bob/2'],
      });
    });

    it('writes what a fold read and changed, batch after batch', async () => {
      for (let batch = 1; batch <= 10; batch++) {
        await writeFolded(namespace, place(batch - 1), place(batch), async (view) => {
          const total = await view.get('owners', 'total');
          const document = { sum: Number(total?.sum ?? 0) + batch };
          return [{ collection: 'owners', key: 'total', document, isNew: false }];
        });
      }
      expect(await namespace.read((view) => view.get('owners', 'total'))).toEqual({ sum: 55 });
    });

    it('replaces a document as a whole', async () => {
      await put(namespace, thing('ada', 0, { extra: true }), thing('ada', 1, { extra: true }));
      await put(namespace, thing('ada', 0), thing('ada', 1));
      expect(await get('ada/0')).toEqual({ owner: 'ada', number: 0 });
      expect(await get('ada/1')).toEqual({ owner: 'ada', number: 1 });
      const all = { index: 'by_number', equals: {} };
      expect(await namespace.read((view) => numbersIn(view, all))).toEqual([0, 1]);
    });

    it('writes a document that the fold found absent', async () => {
      await writeFolded(namespace, START, place(1), async (view) => {
        expect(await view.get('things', 'ada/0')).toBeUndefined();
        return [{ ...thing('ada', 0), isNew: true }];
      });
      expect(await get('ada/0')).toBeDefined();
    });

    it('refuses a batch that makes a document which is there', async () => {
      await put(namespace, thing('ada', 0));
      const checkpoint = await namespace.checkpoint();
      const again = namespace.write(checkpoint, place(9), [
        { ...thing('ada', 1), isNew: true },
        { ...thing('ada', 0, { again: true }), isNew: true },
      ]);
      await expect(again).rejects.toThrow();
      expect(await namespace.checkpoint()).toBe(checkpoint);
      expect(await get('ada/0')).toEqual({ owner: 'ada', number: 0 });
      expect(await get('ada/1')).toBeUndefined();
    });

    it('gives back documents with every value as it was', async () => {
      const more = {
        text: 'ünïcødé 😀 "quoted"',
        share: 0.1,
        after: -7,
        nothing: null,
        flag: false,
        nested: { list: [1, { two: 2 }] },
        $dollar: { 'a.b': 1 },
      };
      await put(namespace, thing('ada', 7, more));
      const found = await get('ada/7');
      expect(found).toEqual({ owner: 'ada', number: 7, ...more });
    });

    it('gets many at once, those that exist', async () => {
      await put(namespace, thing('ada', 0), thing('ada', 1));
      const asked = ['ada/0', 'ada/1', 'ada/2'];
      const found = await namespace.read((view) => view.getMany('things', asked));
      expect([...found.keys()].sort()).toEqual(['ada/0', 'ada/1']);
      expect(found.get('ada/1')).toEqual({ owner: 'ada', number: 1 });
      expect((await namespace.read((view) => view.getMany('things', []))).size).toBe(0);
    });

    it('tells keys apart that differ in case, form or an odd character', async () => {
      const keys = ['a', 'A', 'a b', 'a|b', 'é', 'e\u0301', '$a', 'a.b', 'a/b', '😀'];
      await put(namespace, ...keys.map((key) => ({ ...thing('x', 0), key, document: { key } })));
      for (const key of keys) expect(await get(key)).toEqual({ key });
    });

    it('scans every document once, page by page, in the order of the code points of keys', async () => {
      const keys = ['A', 'a', 'a b', 'a/b', 'é', '\ue000', '\u{1f600}'];
      const writes = keys.map((key) => ({ ...thing('x', 0), key, document: { key } }));
      await put(namespace, ...writes.reverse(), thing('gone', 0));
      await put(namespace, noThing('gone', 0), ...writes.slice(0, 2));
      const scanned: Row[] = [];
      for (;;) {
        const after = scanned.at(-1)?.key ?? '';
        const page = await namespace.read((view) => view.scan('things', after, 2));
        expect(page.length).toBeLessThanOrEqual(2);
        if (page.length === 0) break;
        scanned.push(...page);
      }
      expect(scanned).toEqual(keys.map((key) => ({ key, document: { key } })));
    });

    it('removes a document, and may keep it again', async () => {
      await put(namespace, thing('ada', 0), thing('ada', 1));
      await put(namespace, noThing('ada', 0));
      expect(await get('ada/0')).toBeUndefined();
      const range = { index: 'by_number', equals: { owner: 'ada' } };
      expect(await namespace.read((view) => numbersIn(view, range))).toEqual([1]);
      await put(namespace, thing('ada', 0, { back: true }));
      expect(await get('ada/0')).toEqual({ owner: 'ada', number: 0, back: true });
    });

    it('takes the removal of what is not there, and of what was new in the same batch', async () => {
      const gone = noThing('ada', 0);
      await put(namespace, gone, { ...gone, key: 'ada/1', isNew: true });
      expect(await namespace.checkpoint()).toBe(place(1));
      expect(await get('ada/1')).toBeUndefined();
    });

    it('takes a batch of thousands of documents, part of which is there already, as a whole', async () => {
      const batch = (from: number, tries: number) =>
        Array.from({ length: 2_500 }, (_, index) => thing('ada', from + index, { tries }));
      await put(namespace, ...batch(0, 1));
      await put(namespace, ...batch(2_400, 2));
      const range = { index: 'by_number', equals: { owner: 'ada' }, limit: 9_000 };
      const { documents } = await namespace.read((view) => view.range('things', range));
      expect(documents.map(({ number, tries }) => [number, tries])).toEqual(
        Array.from({ length: 4_900 }, (_, number) => [number, number < 2_400 ? 1 : 2]),
      );
    });

    it('still has everything after it was opened anew', async () => {
      await put(namespace, thing('ada', 0));
      namespace = things(await opened.reopen());
      expect(await namespace.checkpoint()).toBe(place(1));
      expect(await get('ada/0')).toBeDefined();
      await put(namespace, thing('ada', 0, { again: true }));
      expect(await get('ada/0')).toMatchObject({ again: true });
    });
  });
}
