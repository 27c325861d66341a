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

  it('gives a released slot to the one that has waited longest', () => {
    const semaphore = new KeyedSemaphore(1);
    const first = acquired(semaphore, 'a');
    const entered: string[] = [];
    const slots: Release[] = [];
    for (const name of ['one', 'two']) {
      semaphore.wait('a', (release) => {
        entered.push(name);
        slots.push(release);
      });
    }
    first();
    expect(entered).toEqual(['one']);
    expect(semaphore.tryAcquire('a')).toBeUndefined();
    slots[0]?.();
    expect(entered).toEqual(['one', 'two']);
    slots[1]?.();
    expect(semaphore.tryAcquire('a')).toBeDefined();
  });

  it('gives no slot to one that left the queue', () => {
    const semaphore = new KeyedSemaphore(1);
    const first = acquired(semaphore, 'a');
    const entered: string[] = [];
    const leave = semaphore.wait('a', () => entered.push('left'));
    semaphore.wait('a', () => entered.push('stayed'));
    leave();
    first();
    expect(entered).toEqual(['stayed']);
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
