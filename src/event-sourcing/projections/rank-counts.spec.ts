import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BLOCK_SIZE, leftIn, placeOfRank, recounted, sumOf } from './rank-counts.js';

const counts = fc.array(fc.nat(5), { maxLength: 20 });

describe('counts by rank', () => {
  it('leave of each block what is not counted, and of the last block what there is', () => {
    expect(leftIn(0, [])).toEqual([]);
    expect(leftIn(BLOCK_SIZE + 3, [5])).toEqual([BLOCK_SIZE - 5, 3]);
    expect(leftIn(2 * BLOCK_SIZE, [0, 2])).toEqual([BLOCK_SIZE, BLOCK_SIZE - 2]);
  });

  it('lead to what a walk through all of them finds, in both orders', () => {
    fc.assert(
      fc.property(counts, fc.boolean(), (row, backwards) => {
        const places = row.flatMap((count, index) => Array.from({ length: count }, () => index));
        if (backwards) places.reverse();
        const order = backwards ? 'descending' : 'ascending';
        for (const [rank, index] of places.entries()) {
          const passed = rank - places.indexOf(index);
          const from = index * BLOCK_SIZE;
          const place = { from, to: from + BLOCK_SIZE - 1, skip: passed };
          expect(placeOfRank(row, rank, order)).toEqual(place);
        }
        expect(placeOfRank(row, places.length, order)).toBeNull();
      }),
    );
  });

  it('are changed one at a time, and grow with zeros', () => {
    expect(recounted([], 2, 1)).toEqual([0, 0, 1]);
    expect(recounted([3, 4], 0, -1)).toEqual([2, 4]);
  });

  it('leave what they were made from as it is', () => {
    const before = [1];
    recounted(before, 0, 1);
    expect(before).toEqual([1]);
  });

  it('add up', () => {
    expect(sumOf([])).toBe(0);
    expect(sumOf([1, 2, 3])).toBe(6);
  });
});
