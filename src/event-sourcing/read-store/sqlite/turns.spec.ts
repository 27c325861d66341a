import { describe, expect, it } from '@jest/globals';
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
});
