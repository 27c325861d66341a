import { describe, expect, it } from '@jest/globals';
import { FairQueue } from './fair-queue.js';

describe('a queue in which owners take turns', () => {
  function taken(queue: FairQueue<string>, count = queue.length): string {
    return Array.from({ length: count }, () => queue.take()).join(' ');
  }

  it('gives what one owner has in its order', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3']) queue.push('a', item);
    expect(queue.length).toBe(3);
    expect(taken(queue)).toBe('a1 a2 a3');
    expect(queue.take()).toBeUndefined();
    expect(queue.length).toBe(0);
  });

  it('gives one of each owner in turn, whoever has more', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'a4']) queue.push('a', item);
    queue.push('b', 'b1');
    queue.push('c', 'c1');
    queue.push('b', 'b2');
    expect(taken(queue)).toBe('a1 b1 c1 a2 b2 a3 a4');
  });

  it('gives nothing of an owner that is held, and all of it behind the others once it is released', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2']) queue.push('a', item);
    queue.push('b', 'b1');
    queue.hold('a');
    queue.push('a', 'a3');
    expect(queue.length).toBe(4);
    expect(queue.take()).toBe('b1');
    expect(queue.take()).toBeUndefined();
    queue.push('b', 'b2');
    queue.release('a');
    expect(taken(queue)).toBe('b2 a1 a2 a3');
  });

  it('keeps the turns of those who are there when others come', () => {
    const queue = new FairQueue<string>();
    for (const item of ['a1', 'a2', 'a3']) queue.push('a', item);
    queue.push('b', 'b1');
    expect(taken(queue, 1)).toBe('a1');
    queue.push('c', 'c1');
    expect(taken(queue)).toBe('b1 a2 c1 a3');
  });
});
