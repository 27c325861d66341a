import { describe, expect, it } from '@jest/globals';
import { StreamSlots } from './stream-slots.js';

describe('slots of streams', () => {
  it('are so many for each account', () => {
    const slots = new StreamSlots({ ofAccount: 2, inAll: 10 });
    expect([slots.take('a'), slots.take('a')]).not.toContain(undefined);
    expect(slots.take('a')).toBeUndefined();
    expect(slots.take('b')).toBeDefined();
  });

  it('are so many in all', () => {
    const slots = new StreamSlots({ ofAccount: 2, inAll: 3 });
    expect(['a', 'b', 'c'].map((account) => slots.take(account))).not.toContain(undefined);
    expect(slots.take('a')).toBeUndefined();
    expect(slots.take('d')).toBeUndefined();
  });

  it('are given back once', () => {
    const slots = new StreamSlots({ ofAccount: 1, inAll: 1 });
    const giveBack = slots.take('a');
    expect(slots.take('b')).toBeUndefined();
    giveBack?.();
    giveBack?.();
    expect(slots.take('b')).toBeDefined();
    expect(slots.take('c')).toBeUndefined();
  });
});
