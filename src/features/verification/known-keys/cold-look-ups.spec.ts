import { describe, expect, it } from '@jest/globals';
import { ColdLookUps } from './cold-look-ups.js';

const FRUITLESS_PER_SECOND = 50;
const BURST = 16;

/** Gives an answer later, like a log. */
function later<Answer>(answer: Answer): () => Promise<Answer> {
  return () => new Promise((resolve) => setImmediate(resolve, answer));
}

/** Looks up a key. Without an allowance, the look-up counts as one for a key in a directory. */
function lookUp<Found>(cold: ColdLookUps, found: Found | null, caller = 'a') {
  return cold.run({ caller, read: later(found), isAllowed: cold.take() });
}

/** Gives how many of a number of look-ups at once are allowed. */
function allowedOf(cold: ColdLookUps, count: number): number {
  return Array.from({ length: count }, () => cold.take()).filter(Boolean).length;
}

describe('look-ups of keys that are not in memory', () => {
  it('may find nothing a bounded number of times a second', () => {
    let now = 0;
    const cold = new ColdLookUps(() => now);
    expect(allowedOf(cold, 5_000)).toBe(BURST);
    now = 100;
    expect(allowedOf(cold, 5_000)).toBe((FRUITLESS_PER_SECOND * now) / 1_000);
    now = 10_000;
    expect(allowedOf(cold, 5_000)).toBe(BURST);
  });

  it('count when they find nothing, and not when they find keys', async () => {
    // The clock stands still, so the allowance does not grow.
    const cold = new ColdLookUps(() => 0);
    for (let count = 0; count < 3 * BURST; count += 1) {
      const isAllowed = cold.take();
      expect(isAllowed).toBe(true);
      expect(await cold.run({ caller: 'a', read: later('key'), isAllowed })).toBe('key');
    }
    for (let count = 0; count < BURST; count += 1) expect(await lookUp(cold, null)).toBeNull();
    expect(cold.take()).toBe(false);
    // A look-up that was not allowed does not raise the allowance.
    expect(await lookUp(cold, 'key')).toBe('key');
    expect(cold.take()).toBe(false);
  });

  it('do not queue for a slow log: as many as may come at once wait, and no other is allowed', async () => {
    let now = 0;
    const cold = new ColdLookUps(() => (now += 1_000));
    const answers: (() => void)[] = [];
    const read = (): Promise<null> => new Promise((resolve) => answers.push(() => resolve(null)));
    const storm: Promise<null>[] = [];
    for (let count = 0; count < 1_000; count += 1)
      if (cold.take()) storm.push(cold.run({ caller: 'a', read, isAllowed: true }));
    expect(storm).toHaveLength(answers.length + BURST);
    while (answers.length > 0) {
      answers.shift()?.();
      await new Promise(setImmediate);
    }
    expect(new Set(await Promise.all(storm))).toEqual(new Set([null]));
    expect(cold.take()).toBe(true);
  });

  it('take turns between callers', async () => {
    const cold = new ColdLookUps();
    let ofStorm = 0;
    const storm = Array.from({ length: 500 }, () =>
      lookUp(cold, 'key', 'storm').then(() => (ofStorm += 1)),
    );
    expect(await lookUp(cold, 'key', 'other')).toBe('key');
    expect(ofStorm).toBeLessThan(100);
    await Promise.all(storm);
  });

  it('leave their place when they fail', async () => {
    const cold = new ColdLookUps();
    const read = () => Promise.reject(new Error('gone'));
    for (let count = 0; count < 40; count += 1)
      await expect(cold.run({ caller: 'a', read, isAllowed: true })).rejects.toThrow('gone');
    expect(await lookUp(cold, 'key')).toBe('key');
  });
});
