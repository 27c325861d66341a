import { expect, it } from '@jest/globals';
import { Backoff } from './backoff.js';

it('pauses double up to the longest, and begin anew after an attempt that succeeded', () => {
  const backoff = new Backoff(100, 500);
  const next = (): number => backoff.next();
  expect([next(), next(), next(), next(), next()]).toEqual([100, 200, 400, 500, 500]);
  backoff.reset();
  expect([next(), next()]).toEqual([100, 200]);
});
