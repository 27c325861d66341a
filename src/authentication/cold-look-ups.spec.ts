import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '../kernel/errors.js';
import { ColdLookUps } from './cold-look-ups.js';

const FRUITLESS_PER_SECOND = 1_000;
const BURST = 100;

/** A look-up that answers later, as one of a log does. */
function answers<Found>(found: Found): () => Promise<Found> {
  return () => new Promise((resolve) => setImmediate(resolve, found));
}

describe('look-ups of keys that are not in memory', () => {
  it('reach the log a bounded number of times a second when they find nothing', async () => {
    const cold = new ColdLookUps();
    let asked = 0;
    const began = performance.now();
    const lookUps = Array.from({ length: 900 }, () =>
      cold.run('a', async () => {
        asked += 1;
        return answers(null)();
      }),
    );
    await Promise.all(lookUps);
    const seconds = (performance.now() - began) / 1_000;
    expect(asked).toBe(900);
    expect(asked).toBeLessThanOrEqual(BURST + FRUITLESS_PER_SECOND * seconds + 1);
  });

  it('are not slowed down by that when they find keys', async () => {
    // The clock stands, so no allowance grows.
    const cold = new ColdLookUps(() => 0);
    for (let count = 0; count < 3 * BURST; count += 1) {
      expect(await cold.run('a', answers('key'))).toBe('key');
    }
  });

  it('take turns between callers', async () => {
    const cold = new ColdLookUps();
    let ofStorm = 0;
    const storm = Array.from({ length: 500 }, () =>
      cold.run('storm', answers(null)).then(() => (ofStorm += 1)),
    );
    expect(await cold.run('other', answers('key'))).toBe('key');
    expect(ofStorm).toBeLessThan(100);
    await Promise.all(storm);
  });

  it('are refused when too many of a caller wait, and not those of others', async () => {
    const cold = new ColdLookUps();
    const storm = Array.from({ length: 1_000 }, () => cold.run('storm', answers(null)));
    await expect(cold.run('storm', answers('key'))).rejects.toThrow(Unavailable);
    expect(await cold.run('other', answers('key'))).toBe('key');
    await Promise.all(storm);
    expect(await cold.run('storm', answers('key'))).toBe('key');
  });

  it('leave their place when they fail', async () => {
    const cold = new ColdLookUps();
    for (let count = 0; count < 40; count += 1) {
      const failed = cold.run('a', () => Promise.reject(new Error('gone')));
      await expect(failed).rejects.toThrow('gone');
    }
    expect(await cold.run('a', answers('key'))).toBe('key');
  });
});
