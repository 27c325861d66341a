import { describe, expect, it, jest } from '@jest/globals';
import { Turns } from './turns.js';

const SLICE_MS = 5;

function beBusy(): void {
  const until = performance.now() + SLICE_MS;
  while (performance.now() < until);
}

describe('turns', () => {
  it('let other work go on after a slice, also before a task that nobody waited with', async () => {
    const turns = new Turns();
    const order: string[] = [];
    const nextTask = new Promise<void>((resolve) => {
      setImmediate(() => {
        setImmediate(() => order.push('other work'));
        void turns.run('one', beBusy);
      });
      // The next task comes in the same turn of the event loop, when the first one is done.
      setImmediate(() => {
        resolve(turns.run('other', () => void order.push('next task')));
      });
    });
    await nextTask;
    expect(order).toEqual(['other work', 'next task']);
  });

  it('run what took the least time next, so that short tasks do not wait for a long one each', async () => {
    const turns = new Turns();
    const order: string[] = [];
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    const run = (owner: string, name: string, ms: number): Promise<void> =>
      turns.run(owner, () => {
        order.push(name);
        now += ms;
      });
    const long = [1, 2, 3, 4].map((number) => run('long', `long ${number}`, 6));
    const short = [1, 2, 3, 4, 5].map((number) => run('short', `short ${number}`, 2));
    const later = short[0]?.then(() => run('short', 'short 6', 2));
    await Promise.all([...long, ...short, later]);
    clock.mockRestore();
    const ofShort = (first: number, last: number): string[] =>
      Array.from({ length: last - first + 1 }, (_, index) => `short ${first + index}`);
    const turnsTaken = ['long 1', ...ofShort(1, 3), 'long 2', ...ofShort(4, 6), 'long 3', 'long 4'];
    expect(order).toEqual(turnsTaken);
  });
});
