import { describe, expect, it } from '@jest/globals';
import { Progress } from './progress.js';

describe('progress', () => {
  it('has passed what it reached', async () => {
    const progress = new Progress(() => undefined);
    progress.moveTo('5');
    expect(await progress.waitFor('5', 0)).toBe(true);
    expect(await progress.waitFor('4', 0)).toBe(true);
  });

  it('wakes those who wait for what was reached, and only those', async () => {
    const progress = new Progress(() => undefined);
    const woken: string[] = [];
    const near = progress.waitFor('5', 10_000).then(() => woken.push('near'));
    const far = progress.waitFor('7', 10_000).then(() => woken.push('far'));
    progress.moveTo('6');
    await near;
    expect(woken).toEqual(['near']);
    progress.moveTo('7');
    await far;
    expect(woken).toEqual(['near', 'far']);
  });

  it('gives up after the time-out', async () => {
    expect(await new Progress(() => undefined).waitFor('1', 1)).toBe(false);
  });
});
