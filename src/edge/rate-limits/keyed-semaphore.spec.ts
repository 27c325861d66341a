import { describe, expect, it } from '@jest/globals';
import { KeyedSemaphore, type Release } from './keyed-semaphore.js';

describe('a keyed semaphore', () => {
  function acquired(semaphore: KeyedSemaphore, key: string): Release {
    const release = semaphore.tryAcquire(key);
    if (!release) throw new Error('no slot is free');
    return release;
  }

  it('gives each key so many slots, whatever other keys hold', () => {
    const semaphore = new KeyedSemaphore(2);
    expect([semaphore.tryAcquire('a'), semaphore.tryAcquire('a')]).not.toContain(undefined);
    expect(semaphore.tryAcquire('a')).toBeUndefined();
    expect(semaphore.tryAcquire('b')).toBeDefined();
  });

  it('gives a released slot to the one that has waited longest', async () => {
    const semaphore = new KeyedSemaphore(1);
    const first = acquired(semaphore, 'a');
    const entered: string[] = [];
    const waiting = ['one', 'two'].map(async (name) => {
      const release = await semaphore.acquire('a');
      entered.push(name);
      return release;
    });
    first();
    const second = await waiting[0];
    expect(entered).toEqual(['one']);
    expect(semaphore.tryAcquire('a')).toBeUndefined();
    second?.();
    const last = await waiting[1];
    expect(entered).toEqual(['one', 'two']);
    last?.();
    expect(semaphore.tryAcquire('a')).toBeDefined();
  });

  it('takes a slot back once', () => {
    const semaphore = new KeyedSemaphore(2);
    const first = acquired(semaphore, 'a');
    acquired(semaphore, 'a');
    first();
    first();
    expect(semaphore.tryAcquire('a')).toBeDefined();
    expect(semaphore.tryAcquire('a')).toBeUndefined();
  });
});
