import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '../../src/kernel/errors.js';
import type {
  Change,
  Document,
  IndexPart,
  Namespace,
  Range,
} from '../../src/event-sourcing/read-store/read-store.js';
import { noThing, numbersIn, put, thing } from './opened-store.js';

const LARGE = 100_000;
const ENOUGH = 3 * LARGE - 1_000;

/** The guarantees of index ranges in every read store. @param namespace an empty namespace. */
export function rangesContract(namespace: () => Namespace): void {
  describe('in a range of an index', () => {
    const numbers = (range: Partial<Range>): Promise<number[]> =>
      namespace().read((view) =>
        numbersIn(view, { index: 'by_number', equals: { owner: 'ada' }, ...range }),
      );

    it('finds documents in order, bounds included, and no more than asked', async () => {
      const of = (owner: string) => [3, 1, 4, 0, 2].map((number) => thing(owner, number));
      await put(namespace(), ...of('ada'), ...of('bob'));
      expect(await numbers({})).toEqual([0, 1, 2, 3, 4]);
      expect(await numbers({ from: 1, to: 3 })).toEqual([1, 2, 3]);
      expect(await numbers({ from: 1, limit: 2 })).toEqual([1, 2]);
      expect(await numbers({ from: 5 })).toEqual([]);
      expect(await numbers({ equals: { owner: 'eve' } })).toEqual([]);
      const found = await namespace().read((view) =>
        view.range('things', { index: 'by_number', equals: { owner: 'bob' }, limit: 1 }),
      );
      expect(found).toEqual({ documents: [{ owner: 'bob', number: 0 }], isWhole: true });
    });

    it('leaves out bounds that it begins after, or ends before', async () => {
      await put(namespace(), ...[3, 1, 4, 0, 2].map((number) => thing('ada', number)));
      expect(await numbers({ after: 1, before: 4 })).toEqual([2, 3]);
      expect(await numbers({ from: 0, after: 3 })).toEqual([4]);
      expect(await numbers({ after: 0, before: 3, descending: true, limit: 1 })).toEqual([2]);
      expect(await numbers({ after: 4 })).toEqual([]);
      expect(await numbers({ before: 0 })).toEqual([]);
      const texts = { index: 'by_kind', equals: { owner: 'eve' } };
      await put(namespace(), ...['a', 'a!', 'b'].map((kind, at) => thing('eve', at, { kind })));
      expect(await numbers({ ...texts, after: 'a', before: 'b' })).toEqual([1]);
    });

    it('finds documents backwards, and passes over as many as asked', async () => {
      await put(namespace(), ...[3, 1, 4, 0, 2].map((number) => thing('ada', number)));
      expect(await numbers({ descending: true })).toEqual([4, 3, 2, 1, 0]);
      expect(await numbers({ descending: true, to: 3, skip: 1, limit: 2 })).toEqual([2, 1]);
      expect(await numbers({ from: 1, skip: 2 })).toEqual([3, 4]);
      expect(await numbers({ skip: 5 })).toEqual([]);
    });

    it('finds a document where its newest version stands, and no longer where it stood', async () => {
      await put(namespace(), ...[0, 1, 2].map((number) => thing('ada', number)));
      await put(namespace(), { ...thing('ada', 0), document: { owner: 'ada', number: 7 } });
      expect(await numbers({})).toEqual([1, 2, 7]);
      expect(await numbers({ skip: 1, limit: 1 })).toEqual([2]);
      expect(await numbers({ to: 0 })).toEqual([]);
    });

    it('finds any of several values in the order of the field behind them', async () => {
      const kinds = ['red', 'blue', 'green'];
      const writes = ['ada', 'bob'].flatMap((owner, which) =>
        Array.from({ length: 9 }, (_, nth) =>
          thing(owner, 2 * nth + which, { kind: kinds[nth % 3] }),
        ),
      );
      await put(namespace(), ...writes);
      const ofKinds = { index: 'by_kind' };
      expect(await numbers({ ...ofKinds, anyOf: ['blue'] })).toEqual([2, 8, 14]);
      const some = { ...ofKinds, anyOf: ['green', 'none', 'red'] };
      expect(await numbers(some)).toEqual([0, 4, 6, 10, 12, 16]);
      expect(await numbers({ ...some, descending: true, to: 12, limit: 3 })).toEqual([12, 10, 6]);
      expect(await numbers({ ...some, from: 4, skip: 1, limit: 2 })).toEqual([6, 10]);
      expect(await numbers({ ...ofKinds, anyOf: ['none'] })).toEqual([]);
      expect(await numbers({ ...ofKinds, anyOf: [] })).toEqual([]);
      expect(await numbers({ ...ofKinds, equals: { owner: 'eve' }, anyOf: ['red'] })).toEqual([]);
      const owners = { equals: {}, from: 3, limit: 3 };
      expect(await numbers({ ...owners, anyOf: ['eve', 'bob', 'ada'] })).toEqual([3, 4, 5]);
      expect(await numbers({ ...owners, anyOf: ['eve', 'bob'] })).toEqual([3, 5, 7]);
      expect(await numbers({ ...owners, anyOf: ['eve'] })).toEqual([]);
    });

    it('counts the documents with fixed values, and with any of several values', async () => {
      const counted = (part: Partial<IndexPart>): Promise<number> =>
        namespace().read((view) =>
          view.count('things', { index: 'by_kind', equals: { owner: 'ada' }, ...part }),
        );
      expect(await counted({})).toBe(0);
      const writes = ['ada', 'bob'].flatMap((owner) =>
        Array.from({ length: 9 }, (_, number) =>
          thing(owner, number, { kind: ['red', 'blue', 'green'][number % 3] }),
        ),
      );
      await put(namespace(), ...writes);
      await put(namespace(), noThing('ada', 0), thing('ada', 3, { kind: 'blue' }));
      expect(await counted({})).toBe(8);
      expect(await counted({ equals: { owner: 'ada', kind: 'red' } })).toBe(1);
      expect(await counted({ anyOf: ['red', 'none', 'blue'] })).toBe(5);
      expect(await counted({ equals: {}, anyOf: ['ada', 'eve'] })).toBe(8);
      expect(await counted({ anyOf: [] })).toBe(0);
      expect(await counted({ equals: { owner: 'eve' } })).toBe(0);
      await expect(counted({ index: 'by_nothing' })).rejects.toThrow('by_nothing');
    });

    it('counts within bounds, and nothing that lacks the bounded field', async () => {
      const counted = (part: Partial<IndexPart>): Promise<number> =>
        namespace().read((view) =>
          view.count('things', { index: 'by_kind', equals: { owner: 'ada' }, ...part }),
        );
      const kinds = ['a', 'b', 'b', 'b', 'c', null, undefined];
      await put(namespace(), ...kinds.map((kind, number) => thing('ada', number, { kind })));
      await put(namespace(), thing('bob', 0, { kind: 'b' }), thing('eve', 9, { kind: 'b' }));
      expect(await counted({})).toBe(7);
      expect(await counted({ from: 'a', before: 'c' })).toBe(4);
      expect(await counted({ after: 'a', to: 'c' })).toBe(4);
      expect(await counted({ before: 'z' })).toBe(5);
      expect(await counted({ from: 'b', before: 'b' })).toBe(0);
      expect(await counted({ from: 'c', before: 'a' })).toBe(0);
      const owners = { equals: {}, anyOf: ['ada', 'bob'] };
      expect(await counted({ ...owners, from: 'b' })).toBe(5);
      expect(await counted({ equals: { owner: 'ada', kind: 'b' }, from: 2, to: 3 })).toBe(2);
      const range = { index: 'by_kind', equals: { owner: 'ada' }, before: 'z', skip: 1 };
      expect(await namespace().read((view) => numbersIn(view, range))).toEqual([1, 2, 3, 4]);
    });

    it('finds by a flag, and by a field that some documents lack', async () => {
      await put(namespace(), thing('a', 0, { flag: true }), thing('a', 1, { flag: false }));
      await put(namespace(), thing('a', 2));
      const flagged = (flag: boolean) => numbers({ index: 'by_flag', equals: { flag } });
      expect(await flagged(true)).toEqual([0]);
      expect(await flagged(false)).toEqual([1]);
      const anyOf = [false, true];
      expect(await numbers({ index: 'by_flag', equals: {}, anyOf })).toEqual([0, 1]);
      expect(await numbers({ index: 'by_flag', equals: {} })).toEqual([2, 1, 0]);
      const count = await namespace().read((view) =>
        view.count('things', { index: 'by_flag', equals: {}, anyOf }),
      );
      expect(count).toBe(2);
    });

    it('finds by a recurring text, whose first batch failed, and nothing by one that no document has', async () => {
      const taken = { ...thing('ada', 0), isNew: true };
      await put(namespace(), taken);
      await expect(put(namespace(), thing('eve', 1), taken)).rejects.toThrow();
      await put(namespace(), thing('bob', 1), thing('eve', 2));
      expect(await numbers({ equals: { owner: 'eve' } })).toEqual([2]);
      const found = await namespace().read((view) => view.get('things', 'bob/1'));
      expect(found).toEqual({ owner: 'bob', number: 1 });
      const counted = await namespace().read((view) =>
        Promise.all(
          ['eve', 'sue'].map((owner) =>
            view.count('things', { index: 'by_number', equals: { owner } }),
          ),
        ),
      );
      expect(counted).toEqual([1, 0]);
    });

    it('gives records as JSON, with the fields of a record in their order and no others', async () => {
      const shown = (number: number, more: Document): Change => ({
        collection: 'shown',
        key: `ada/${number}`,
        document: { owner: 'ada', number, ...more },
        isNew: number === 1,
      });
      await put(
        namespace(),
        shown(1, { flag: true, name: 'a "quoted" name' }),
        shown(0, { note: null, name: '', flag: true }),
        shown(2, { name: 'hidden', flag: false }),
      );
      const records = (range: Partial<Range>): Promise<string[]> =>
        namespace().read((view) =>
          view.records('shown', {
            index: 'by_number',
            equals: { owner: 'ada' },
            limit: 9,
            ...range,
          }),
        );
      const both = [
        '{"name":"","flag":true,"note":null}',
        '{"name":"a \\"quoted\\" name","flag":true}',
      ];
      expect(await records({ equals: { owner: 'ada', flag: true } })).toEqual(both);
      expect(await records({ anyOf: [true, false], limit: 2 })).toEqual(both);
      expect(await namespace().read((view) => view.get('shown', 'ada/1'))).toEqual({
        owner: 'ada',
        number: 1,
        flag: true,
        name: 'a "quoted" name',
      });
    });

    it('takes an index that there is not for a fault of the caller, and not of its own', async () => {
      const asked = numbers({ index: 'by_nothing', equals: {} });
      const fault: unknown = await asked.catch((error: unknown) => error);
      expect(fault).not.toBeInstanceOf(Unavailable);
      expect(String(fault)).toContain('by_nothing');
    });

    it('finds large documents among small ones, whole and in order', async () => {
      const text = (number: number): string => `${number}`.repeat(LARGE);
      const more = (number: number) => (number % 2 === 0 ? { text: text(number) } : {});
      await put(namespace(), ...[0, 1, 2, 3].map((number) => thing('ada', number, more(number))));
      expect(await numbers({ descending: true })).toEqual([3, 2, 1, 0]);
      const two = { index: 'by_number', equals: { owner: 'ada' }, from: 2, limit: 1 };
      const { documents } = await namespace().read((view) => view.range('things', two));
      expect(documents).toEqual([{ owner: 'ada', number: 2, text: text(2) }]);
    });

    it('gives as many documents as have about so many bytes, and says when there are more', async () => {
      const text = 'x'.repeat(LARGE);
      const writes = Array.from({ length: 9 }, (_, number) => thing('ada', number, { text }));
      await put(namespace(), ...writes);
      const part = async (more: Partial<Range>) => {
        const range = { index: 'by_number', equals: { owner: 'ada' }, descending: true, limit: 10 };
        const { documents, isWhole } = await namespace().read((view) =>
          view.range('things', { ...range, ...more }),
        );
        return { numbers: documents.map(({ number }) => Number(number)), isWhole };
      };
      const parts: number[][] = [];
      for (let to = 8, isWhole = false; !isWhole;) {
        const next = await part({ to, bytes: ENOUGH });
        parts.push(next.numbers);
        isWhole = next.isWhole;
        to = (next.numbers.at(-1) ?? 0) - 1;
      }
      expect(parts).toEqual([
        [8, 7, 6],
        [5, 4, 3],
        [2, 1, 0],
      ]);
      expect(await part({ bytes: 1 })).toEqual({ numbers: [8], isWhole: false });
      expect(await part({ bytes: ENOUGH, limit: 2 })).toEqual({ numbers: [8, 7], isWhole: true });
    });

    it('gives small documents to the limit, whatever the bound of bytes', async () => {
      await put(namespace(), ...Array.from({ length: 9 }, (_, number) => thing('ada', number)));
      const range = { index: 'by_number', equals: { owner: 'ada' }, limit: 10, bytes: 1_000 };
      const part = await namespace().read((view) => view.range('things', range));
      expect(part.isWhole).toBe(true);
      expect(part.documents).toHaveLength(9);
    });
  });
}
