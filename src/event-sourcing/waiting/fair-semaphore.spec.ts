import { describe, expect, it } from '@jest/globals';
import { Refusal } from '../../kernel/errors.js';
import { FairSemaphore } from './fair-semaphore.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('fair slots', () => {
  it('let so many run at once, and all in the end', async () => {
    const slots = new FairSemaphore(2);
    let running = 0;
    let most = 0;
    const task = async (): Promise<string> => {
      most = Math.max(most, ++running);
      await turn();
      running -= 1;
      return 'done';
    };
    const done = await Promise.all(
      Array.from({ length: 9 }, (_, index) => slots.run(`k${index % 3}`, task)),
    );
    expect(done).toEqual(Array(9).fill('done'));
    expect(most).toBe(2);
  });

  it('go by keys in turn, first come first served within one', async () => {
    const slots = new FairSemaphore(1);
    const trace: string[] = [];
    const task = (name: string) => async (): Promise<void> => {
      trace.push(name);
      await turn();
    };
    const names = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'];
    await Promise.all(names.map((name) => slots.run(name.slice(0, 1), task(name))));
    expect(trace).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('pass over those who have left before their turn, who get a refusal', async () => {
    const slots = new FairSemaphore(1);
    const presence = { hasLeft: false };
    const trace: string[] = [];
    const task = (name: string) => async (): Promise<void> => {
      trace.push(name);
      await turn();
    };
    const first = slots.run('a', task('a1'), { presence });
    const left = [
      slots.run('a', task('a2'), { presence }),
      slots.run('b', task('b1'), { presence }),
    ];
    const refused = Promise.all(left.map((one) => expect(one).rejects.toThrow(Refusal)));
    const others = [slots.run('a', task('a3')), slots.run('b', task('b2'))];
    presence.hasLeft = true;
    await Promise.all([first, refused, ...others]);
    expect(trace).toEqual(['a1', 'a3', 'b2']);
    await slots.run('a', task('a4'));
    expect(trace).toHaveLength(4);
  });

  it('come free after a task that failed, and tell only its owner', async () => {
    const slots = new FairSemaphore(1);
    const failed = slots.run('a', () => Promise.reject(new Error('mine')));
    const next = slots.run('a', () => Promise.resolve('fine'));
    await expect(failed).rejects.toThrow('mine');
    expect(await next).toBe('fine');
    expect(await slots.run('b', () => Promise.resolve('fine'))).toBe('fine');
  });
});
