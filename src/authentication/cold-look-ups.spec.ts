import { describe, expect, it } from '@jest/globals';
import { ColdLookUps } from './cold-look-ups.js';

const FRUITLESS_PER_SECOND = 200;
const BURST = 100;

/** Answers later, as a log does. */
function later<Answer>(answer: Answer): () => Promise<Answer> {
  return () => new Promise((resolve) => setImmediate(resolve, answer));
}

/** A look-up that finds something or null. */
function lookUp<Found>(found: Found | null, { caller = 'a', isListed = later(false) } = {}) {
  return { caller, read: later(found), isListed };
}

describe('look-ups of keys that are not in memory', () => {
  it('reach the log a bounded number of times a second when they find nothing', async () => {
    let now = 0;
    const cold = new ColdLookUps(() => now);
    let asked = 0;
    const read = (): Promise<null> => {
      asked += 1;
      return later(null)();
    };
    const storm = (): Promise<unknown> =>
      Promise.all(
        Array.from({ length: 5_000 }, () =>
          cold.run({ caller: 'a', read, isListed: later(false) }),
        ),
      );
    await storm();
    expect(asked).toBe(BURST);
    now = 50;
    await storm();
    expect(asked).toBe(BURST + (FRUITLESS_PER_SECOND * now) / 1_000);
  });

  it('do not queue for a slow log: as many as may come at once wait, and others ask the directories', async () => {
    let now = 0;
    const cold = new ColdLookUps(() => (now += 1));
    const answers: (() => void)[] = [];
    const read = (): Promise<null> => new Promise((resolve) => answers.push(() => resolve(null)));
    let unlisted = 0;
    const isListed = async (): Promise<boolean> => {
      unlisted += 1;
      return false;
    };
    const storm = Array.from({ length: 1_000 }, () => cold.run({ caller: 'a', read, isListed }));
    const begun = answers.length;
    expect(unlisted).toBe(1_000 - begun - BURST);
    while (answers.length > 0) {
      answers.shift()?.();
      await new Promise(setImmediate);
    }
    expect(await Promise.all(storm)).toEqual(Array(1_000).fill(null));
  });

  it('find listed keys all the same meanwhile', async () => {
    const cold = new ColdLookUps(() => 0);
    for (let count = 0; count < 2 * BURST; count += 1) await cold.run(lookUp(null));
    expect(await cold.run(lookUp('key', { isListed: later(true) }))).toBe('key');
    expect(await cold.run(lookUp('key'))).toBeNull();
  });

  it('are not counted when they find keys', async () => {
    // The clock stands, so no allowance grows.
    const cold = new ColdLookUps(() => 0);
    for (let count = 0; count < 3 * BURST; count += 1)
      expect(await cold.run(lookUp('key'))).toBe('key');
  });

  it('take turns between callers', async () => {
    const cold = new ColdLookUps();
    let ofStorm = 0;
    const storm = Array.from({ length: 500 }, () =>
      cold
        .run(lookUp('key', { caller: 'storm', isListed: later(true) }))
        .then(() => (ofStorm += 1)),
    );
    expect(await cold.run(lookUp('key', { caller: 'other', isListed: later(true) }))).toBe('key');
    expect(ofStorm).toBeLessThan(100);
    await Promise.all(storm);
  });

  it('leave their place when they fail', async () => {
    const cold = new ColdLookUps();
    for (let count = 0; count < 40; count += 1) {
      const read = () => Promise.reject(new Error('gone'));
      await expect(cold.run({ ...lookUp('key'), read })).rejects.toThrow('gone');
    }
    expect(await cold.run(lookUp('key'))).toBe('key');
  });
});
