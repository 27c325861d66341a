import { describe, expect, it } from '@jest/globals';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SharedRead } from './shared-read.js';

/** A source whose reads end when the test says so. */
class Source {
  begun = 0;
  readonly #waiting: ((error?: Error) => void)[] = [];

  readonly read = (): Promise<number> =>
    new Promise<number>((resolve, reject) => {
      const number = ++this.begun;
      this.#waiting.push((error) => {
        if (error) reject(error);
        else resolve(number);
      });
    });

  /** Ends the one read that has begun or will begin. */
  async finish(error?: Error): Promise<void> {
    while (this.#waiting.length === 0) await nextTurn();
    this.#waiting.shift()?.(error);
  }
}

describe('a shared read', () => {
  it('never gives a result whose read began before it was asked for', async () => {
    const origin = new Source();
    const shared = new SharedRead(origin.read);
    const first = shared.read();
    await nextTurn();
    expect(origin.begun).toBe(1);
    const second = shared.read();
    await origin.finish();
    expect(await first).toBe(1);
    await origin.finish();
    expect(await second).toBe(2);
  });

  it('is one read for all who ask in the same turn', async () => {
    const origin = new Source();
    const shared = new SharedRead(origin.read);
    const waiting = [shared.read(), shared.read(), Promise.resolve().then(() => shared.read())];
    await origin.finish();
    expect(await Promise.all(waiting)).toEqual([1, 1, 1]);
    expect(origin.begun).toBe(1);
  });

  it('is one read for all who ask while another is under way', async () => {
    const origin = new Source();
    const shared = new SharedRead(origin.read);
    const first = shared.read();
    await nextTurn();
    const waiting = [shared.read()];
    await nextTurn();
    waiting.push(shared.read(), shared.read());
    await origin.finish();
    await first;
    await origin.finish();
    expect(await Promise.all(waiting)).toEqual([2, 2, 2]);
    expect(origin.begun).toBe(2);
  });

  it('begins anew when nothing is under way', async () => {
    const origin = new Source();
    const shared = new SharedRead(origin.read);
    const first = shared.read();
    await origin.finish();
    await first;
    const second = shared.read();
    await origin.finish();
    expect(await second).toBe(2);
  });

  it('fails for those it was for and those who waited for its end, and works for the next', async () => {
    const origin = new Source();
    const shared = new SharedRead(origin.read);
    const first = shared.read();
    await nextTurn();
    const failed = [first, shared.read()].map((read) => expect(read).rejects.toThrow('gone'));
    await origin.finish(new Error('gone'));
    await Promise.all(failed);
    expect(origin.begun).toBe(1);
    const third = shared.read();
    await origin.finish();
    expect(await third).toBe(2);
  });
});
