import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BLOCK_SIZE, complementOf, countsAfter, placeOfRank, sumOf } from './rank-counts.js';

const counts = fc.array(fc.nat(5), { maxLength: 20 });

describe('counts by rank', () => {
  it('leave of each block what is not counted, and of the last block what there is', () => {
    expect(complementOf(0, [])).toEqual([]);
    expect(complementOf(BLOCK_SIZE + 3, [5])).toEqual([BLOCK_SIZE - 5, 3]);
    expect(complementOf(2 * BLOCK_SIZE, [0, 2])).toEqual([BLOCK_SIZE, BLOCK_SIZE - 2]);
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

  it('lead to the listed item itself, also where all ordinals of a block are listed', () => {
    const ordinals = 2 * BLOCK_SIZE + 5;
    const unlisted = fc.uniqueArray(fc.nat(ordinals - 1), { maxLength: 3 });
    const rank = fc.nat(ordinals);
    fc.assert(
      fc.property(unlisted, rank, fc.boolean(), (gaps, wanted, backwards) => {
        const all = Array.from({ length: ordinals }, (_, ordinal) => ordinal);
        const listed = all.filter((ordinal) => !gaps.includes(ordinal));
        const row = [0, 1, 2].map(
          (block) => listed.filter((ordinal) => Math.floor(ordinal / BLOCK_SIZE) === block).length,
        );
        if (backwards) listed.reverse();
        const order = backwards ? 'descending' : 'ascending';
        const place = placeOfRank(row, wanted, order, ordinals);
        const inPlace = listed.filter(
          (ordinal) => place && ordinal >= place.from && ordinal <= place.to,
        );
        expect(place && inPlace[place.skip]).toBe(listed[wanted] ?? null);
        const block = Math.floor((listed[wanted] ?? -1) / BLOCK_SIZE);
        const isWhole = !gaps.some((gap) => Math.floor(gap / BLOCK_SIZE) === block);
        if (place && isWhole) expect(place.skip).toBe(0);
      }),
    );
  });

  it('are changed one at a time, and grow with zeros', () => {
    expect(countsAfter(undefined, 2 * BLOCK_SIZE, 1)).toEqual([0, 0, 1]);
    expect(countsAfter([3, 4], BLOCK_SIZE - 1, -1)).toEqual([2, 4]);
  });

  it('leave what they were made from as it is', () => {
    const before = [1];
    countsAfter(before, 0, 1);
    expect(before).toEqual([1]);
  });

  it('add up', () => {
    expect(sumOf([])).toBe(0);
    expect(sumOf([1, 2, 3])).toBe(6);
  });
});
