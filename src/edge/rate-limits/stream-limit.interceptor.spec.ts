import { describe, expect, it } from '@jest/globals';
import { StreamSlots } from './stream-limit.interceptor.js';

describe('slots of streams', () => {
  it('are so many for each account', () => {
    const slots = new StreamSlots({ ofAccount: 2, inAll: 10 });
    expect([slots.tryAcquire('a'), slots.tryAcquire('a')]).not.toContain(undefined);
    expect(slots.tryAcquire('a')).toBeUndefined();
    expect(slots.tryAcquire('b')).toBeDefined();
  });

  it('are so many in all', () => {
    const slots = new StreamSlots({ ofAccount: 2, inAll: 3 });
    expect(['a', 'b', 'c'].map((account) => slots.tryAcquire(account))).not.toContain(undefined);
    expect(slots.tryAcquire('a')).toBeUndefined();
    expect(slots.tryAcquire('d')).toBeUndefined();
  });

  it('are given back once', () => {
    const slots = new StreamSlots({ ofAccount: 1, inAll: 1 });
    const giveBack = slots.tryAcquire('a');
    expect(slots.tryAcquire('b')).toBeUndefined();
    giveBack?.();
    giveBack?.();
    expect(slots.tryAcquire('b')).toBeDefined();
    expect(slots.tryAcquire('c')).toBeUndefined();
  });
});
