import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { modelWith } from '../../test/specs/model-with.js';
import { tallies } from '../../test/specs/tally.js';
import type { ReadModel } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { KeptTurn } from './kept-turn.js';

describe('a turn that is kept', () => {
  let store: SqliteReadStore;
  let taken: number;
  let answer: () => Promise<boolean>;
  let reach: () => Promise<string>;
  let looked: () => Promise<boolean>;
  let turn: KeptTurn;

  beforeEach(() => {
    store = new SqliteReadStore(':memory:');
    taken = 0;
    answer = async () => true;
    reach = async () => 'the head';
    looked = async () => false;
    jest.useFakeTimers();
  });

  afterEach(async () => {
    jest.useRealTimers();
    await store.close();
  });

  function keep(isShared: boolean): void {
    const model: ReadModel = modelWith(store.readModel(tallies), {
      isShared,
      takeTurn: () => {
        taken += 1;
        return answer();
      },
    });
    const checks = { reachLog: () => reach(), hasGoneBack: () => looked() };
    turn = new KeptTurn(model, new AbortController().signal, checks);
  }

  async function pass(seconds: number): Promise<void> {
    await jest.advanceTimersByTimeAsync(seconds * 1_000);
  }

  it('is asked for again and again, and over once it is had by another', async () => {
    keep(true);
    await pass(30);
    expect(taken).toBe(30);
    expect(turn.over.aborted).toBe(false);
    answer = async () => false;
    await pass(1);
    expect(turn.over.aborted).toBe(true);
    await turn.giveUp();
  });

  it.each([
    [true, 'is over'],
    [false, 'goes on'],
  ])('of a model that is shared (%s) %s when that has less than it had', async (shared) => {
    keep(shared);
    looked = async () => true;
    await pass(1);
    expect(turn.over.aborted).toBe(shared);
    await turn.giveUp();
  });

  it('is not asked for twice at once, so that a late answer takes nothing back', async () => {
    keep(true);
    let late: (kept: boolean) => void = () => undefined;
    answer = () => new Promise((resolve) => (late = resolve));
    await pass(10);
    expect(taken).toBe(1);
    late(true);
    await pass(1);
    expect(taken).toBe(2);
    late(true);
    await turn.giveUp();
  });

  it('is over when its holder has not reached the log for 20 s, and others may', async () => {
    keep(true);
    await pass(60);
    reach = () => Promise.reject(new Error('no route'));
    await pass(20);
    expect(turn.over.aborted).toBe(false);
    reach = async () => 'the head';
    await pass(5);
    reach = () => Promise.reject(new Error('no route'));
    await pass(20);
    expect(turn.over.aborted).toBe(false);
    await pass(5);
    expect(turn.over.aborted).toBe(true);
    await turn.giveUp();
  });

  it('goes on without the log where there is nobody else', async () => {
    keep(false);
    reach = () => Promise.reject(new Error('no route'));
    await pass(60);
    expect(turn.over.aborted).toBe(false);
    await turn.giveUp();
  });
});
