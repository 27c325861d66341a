import { describe, expect, it } from '@jest/globals';
import { KeyedQueue } from './keyed-queue.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a keyed queue', () => {
  it('runs tasks of one key one at a time, in order', async () => {
    const queue = new KeyedQueue();
    const trace: string[] = [];
    const task = (name: string) => async (): Promise<void> => {
      trace.push(`${name} begins`);
      await turn();
      trace.push(`${name} ends`);
    };
    await Promise.all([queue.run('k', task('a')), queue.run('k', task('b'))]);
    expect(trace).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('runs tasks of different keys at once', async () => {
    const queue = new KeyedQueue();
    let running = 0;
    let most = 0;
    const task = async (): Promise<void> => {
      most = Math.max(most, ++running);
      await turn();
      running -= 1;
    };
    await Promise.all([queue.run('a', task), queue.run('b', task)]);
    expect(most).toBe(2);
  });

  it('goes on after a task that failed, and tells only its owner', async () => {
    const queue = new KeyedQueue();
    const failed = queue.run('k', () => Promise.reject(new Error('mine')));
    const next = queue.run('k', () => Promise.resolve('fine'));
    await expect(failed).rejects.toThrow('mine');
    expect(await next).toBe('fine');
  });
});
