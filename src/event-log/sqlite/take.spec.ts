import { describe, expect, it } from '@jest/globals';
import { take } from './take.js';

/** Takes from events of these sizes, and tells how many were asked for each time. */
function taken(sizes: readonly number[], first?: number) {
  const asked: number[] = [];
  const { events, next } = take((from, limit) => {
    asked.push(limit);
    const fetched = sizes.slice(from, from + limit);
    return { events: fetched, size: fetched.reduce((sum, size) => sum + size, 0) };
  }, first);
  return { count: events.length, asked, next };
}

describe('taking events from the log', () => {
  it('begins with a few, and takes ever more while they are small', () => {
    expect(taken(Array(1_000).fill(10))).toEqual({
      count: 300,
      asked: [4, 16, 64, 216],
      next: 300,
    });
  });

  it('begins with as many as those before let expect', () => {
    const sizes = Array(1_000).fill(500);
    const { next } = taken(sizes);
    expect(next).toBe(200);
    expect(taken(sizes, next)).toEqual({ count: 300, asked: [200, 100], next });
  });

  it('takes large ones one by one, and no more than fit', () => {
    const { count, asked, next } = taken(Array(1_000).fill(1_000_000));
    expect(count).toBe(8);
    expect(asked).toEqual([4, 1, 1, 1, 1]);
    expect(next).toBe(1);
  });

  it('knows when there are no more', () => {
    expect(taken([])).toEqual({ count: 0, asked: [4], next: undefined });
    expect(taken(Array(90).fill(10))).toMatchObject({ count: 90, next: undefined });
  });
});
