import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  BLOCK_SIZE,
  blockOf,
  blockStart,
  CHUNK_SIZE,
  chunkOf,
  recounted,
  seek,
  sumOf,
} from './rank-counts.js';

const counts = fc.array(fc.nat(5), { maxLength: 20 });

describe('counts by rank', () => {
  it('place every ordinal in one block of one chunk', () => {
    fc.assert(
      fc.property(fc.nat(10 * CHUNK_SIZE), (ordinal) => {
        const start = blockStart(chunkOf(ordinal), blockOf(ordinal));
        return start <= ordinal && ordinal < start + BLOCK_SIZE;
      }),
    );
  });

  it('lead to what a walk through all of them finds, in both orders', () => {
    fc.assert(
      fc.property(counts, fc.boolean(), (row, backwards) => {
        const places = row.flatMap((count, index) => Array.from({ length: count }, () => index));
        if (backwards) places.reverse();
        const order = backwards ? 'descending' : 'ascending';
        for (const [rank, index] of places.entries()) {
          const passed = rank - places.indexOf(index);
          expect(seek(row, rank, order)).toEqual({ index, skip: passed });
        }
        expect(seek(row, places.length, order)).toBeNull();
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
