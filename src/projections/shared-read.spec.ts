import { describe, expect, it } from '@jest/globals';
import { SharedRead } from './shared-read.js';

/** A source whose reads end when they are told to. */
function source(): {
  read: () => Promise<number>;
  finish(error?: Error): Promise<void>;
  begun: number;
} {
  const waiting: ((error?: Error) => void)[] = [];
  const state = {
    begun: 0,
    read: () =>
      new Promise<number>((resolve, reject) => {
        const number = ++state.begun;
        waiting.push((error) => {
          if (error) reject(error);
          else resolve(number);
        });
      }),
    async finish(error?: Error) {
      waiting.shift()?.(error);
      await new Promise(setImmediate);
    },
  };
  return state;
}

describe('a shared read', () => {
  it('never gives a result whose read began before it was asked for', async () => {
    const origin = source();
    const shared = new SharedRead(origin.read);
    const first = shared.read();
    const second = shared.read();
    await origin.finish();
    expect(await first).toBe(1);
    await origin.finish();
    expect(await second).toBe(2);
  });

  it('is one read for all who ask while another is under way', async () => {
    const origin = source();
    const shared = new SharedRead(origin.read);
    void shared.read();
    const waiting = [shared.read(), shared.read(), shared.read()];
    await origin.finish();
    await origin.finish();
    expect(await Promise.all(waiting)).toEqual([2, 2, 2]);
    expect(origin.begun).toBe(2);
  });

  it('begins anew when nothing is under way', async () => {
    const origin = source();
    const shared = new SharedRead(origin.read);
    const first = shared.read();
    await origin.finish();
    await first;
    const second = shared.read();
    await origin.finish();
    expect(await second).toBe(2);
  });

  it('fails for those it was for, and works for the next', async () => {
    const origin = source();
    const shared = new SharedRead(origin.read);
    const first = shared.read();
    const second = shared.read();
    const failed = expect(first).rejects.toThrow('gone');
    await origin.finish(new Error('gone'));
    await failed;
    await origin.finish();
    expect(await second).toBe(2);
  });
});
