import { describe, expect, it } from '@jest/globals';
import { type GiveBack, Turns } from './turns.js';

describe('turns', () => {
  function taken(turns: Turns, owner: string): GiveBack {
    const giveBack = turns.take(owner);
    if (!giveBack) throw new Error('no place is free');
    return giveBack;
  }

  it('give each owner so many places, whatever others have', () => {
    const turns = new Turns(2);
    expect([turns.take('a'), turns.take('a')]).not.toContain(undefined);
    expect(turns.take('a')).toBeUndefined();
    expect(turns.take('b')).toBeDefined();
  });

  it('give a place that comes back to the one who waits longest', () => {
    const turns = new Turns(1);
    const first = taken(turns, 'a');
    const entered: string[] = [];
    const places: GiveBack[] = [];
    for (const name of ['one', 'two']) {
      turns.wait('a', (giveBack) => {
        entered.push(name);
        places.push(giveBack);
      });
    }
    first();
    expect(entered).toEqual(['one']);
    expect(turns.take('a')).toBeUndefined();
    places[0]?.();
    expect(entered).toEqual(['one', 'two']);
    places[1]?.();
    expect(turns.take('a')).toBeDefined();
  });

  it('give none to one who left the line', () => {
    const turns = new Turns(1);
    const first = taken(turns, 'a');
    const entered: string[] = [];
    const leave = turns.wait('a', () => entered.push('left'));
    turns.wait('a', () => entered.push('stayed'));
    leave();
    first();
    expect(entered).toEqual(['stayed']);
  });

  it('take a place back once', () => {
    const turns = new Turns(2);
    const first = taken(turns, 'a');
    taken(turns, 'a');
    first();
    first();
    expect(turns.take('a')).toBeDefined();
    expect(turns.take('a')).toBeUndefined();
  });
});
