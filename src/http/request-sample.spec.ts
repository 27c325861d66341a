import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { isInSample } from './request-sample.js';

const MANY = 20_000;

describe('the sample of request logs', () => {
  const ids = Array.from({ length: MANY }, () => randomUUID());

  it('has every request, or none', () => {
    expect(ids.every((id) => isInSample(id, 1))).toBe(true);
    expect(ids.some((id) => isInSample(id, Infinity))).toBe(false);
  });

  it.each([2, 10, 100])('has about one request in %i', (oneIn) => {
    const chosen = ids.filter((id) => isInSample(id, oneIn)).length;
    // Six standard deviations.
    const spread = 6 * Math.sqrt(MANY / oneIn);
    expect(Math.abs(chosen - MANY / oneIn)).toBeLessThan(spread);
  });

  it('chooses by the id alone, and of fewer requests some of the same', () => {
    const tenth = ids.filter((id) => isInSample(id, 10));
    expect(ids.filter((id) => isInSample(id, 10))).toEqual(tenth);
    expect(tenth).toEqual(expect.arrayContaining(ids.filter((id) => isInSample(id, 100))));
  });
});
