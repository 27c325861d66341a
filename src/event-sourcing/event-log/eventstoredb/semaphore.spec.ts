import { describe, expect, it } from '@jest/globals';
import { TimedOut } from './faults.js';
import { Semaphore } from './semaphore.js';

const PATIENCE_MS = 10_000;

describe('slots', () => {
  /** A task that runs until the test ends it. */
  function held(): { readonly run: () => Promise<string>; readonly end: () => void } {
    let end = (): void => undefined;
    const ended = new Promise<string>((resolve) => (end = () => resolve('done')));
    return { run: () => ended, end };
  }

  it('let so many run at once, and the rest in their order', async () => {
    const slots = new Semaphore(2);
    const begun: number[] = [];
    const tasks = [0, 1, 2, 3].map(() => held());
    const all = tasks.map(({ run }, number) =>
      slots.run(PATIENCE_MS, () => {
        begun.push(number);
        return run();
      }),
    );
    await new Promise(setImmediate);
    expect(begun).toEqual([0, 1]);
    tasks[1]?.end();
    await all[1];
    await new Promise(setImmediate);
    expect(begun).toEqual([0, 1, 2]);
    for (const { end } of tasks) end();
    expect(await Promise.all(all)).toEqual(['done', 'done', 'done', 'done']);
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  it('are free again after a task that failed', async () => {
    const slots = new Semaphore(1);
    const failing = slots.run(PATIENCE_MS, () => Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await slots.run(PATIENCE_MS, () => Promise.resolve('done'))).toBe('done');
  });

  it('refuse whoever waited too long, and forget about them', async () => {
    const slots = new Semaphore(1);
    const long = held();
    const running = slots.run(PATIENCE_MS, long.run);
    await expect(slots.run(20, () => Promise.resolve('late'))).rejects.toBeInstanceOf(TimedOut);
    long.end();
    await running;
    expect(await slots.run(PATIENCE_MS, () => Promise.resolve('next'))).toBe('next');
  });
});
