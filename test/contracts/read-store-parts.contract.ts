import { describe, expect, it } from '@jest/globals';
import { START } from '../../src/kernel/position.js';
import type { ReadModel } from '../../src/read-store/read-store.js';
import { thing } from './opened-store.js';

const LARGE = 100_000;
const ENOUGH = 3 * LARGE - 1_000;
const RANGE = { index: 'by_number', equals: { owner: 'ada' }, limit: 10, descending: true };

/** What every read store guarantees of documents that are large. */
export function partsContract(model: () => ReadModel): void {
  describe('of large documents', () => {
    const text = (number: number): string => `${number}`.repeat(LARGE);
    const numbersOf = (documents: readonly object[]): unknown[] =>
      documents.map((document) => 'number' in document && document.number);

    it('finds those among small ones, whole and in order', async () => {
      const writes = [0, 1, 2, 3].map((number) =>
        thing('ada', number, number % 2 === 0 ? { text: text(number), kind: 'kind' } : {}),
      );
      await model().write(writes, START, '1');
      const found = await model().find('things', RANGE);
      expect(numbersOf(found)).toEqual([3, 2, 1, 0]);
      expect(found[1]).toEqual({ owner: 'ada', number: 2, text: text(2), kind: 'kind' });
      const range = { ...RANGE, index: 'by_kind', anyOf: ['kind', 'none'] };
      expect(numbersOf(await model().find('things', range))).toEqual([2, 0]);
    });

    it('gives as many as have so many bytes, and tells when there are more', async () => {
      const writes = Array.from({ length: 9 }, (_, number) =>
        thing('ada', number, { text: text(number) }),
      );
      await model().write(writes, START, '1');
      const parts: unknown[][] = [];
      for (let to = 8, more = true; more;) {
        const part = await model().findPart<{ number: number }>('things', { ...RANGE, to }, ENOUGH);
        parts.push(numbersOf(part.documents));
        more = !part.isWhole;
        to = (part.documents.at(-1)?.number ?? 0) - 1;
      }
      expect(parts).toEqual([
        [8, 7, 6],
        [5, 4, 3],
        [2, 1, 0],
      ]);
      const one = await model().findPart('things', RANGE, 0);
      expect({ ...one, documents: numbersOf(one.documents) }).toEqual({
        documents: [8],
        isWhole: false,
      });
      const few = await model().findPart('things', { ...RANGE, limit: 2 }, ENOUGH);
      expect({ ...few, documents: numbersOf(few.documents) }).toEqual({
        documents: [8, 7],
        isWhole: true,
      });
    });

    it('gives small ones to the limit', async () => {
      const writes = Array.from({ length: 9 }, (_, number) => thing('ada', number));
      await model().write(writes, START, '1');
      const part = await model().findPart('things', RANGE, 1_000);
      expect(part.isWhole).toBe(true);
      expect(part.documents).toHaveLength(9);
    });
  });
}
