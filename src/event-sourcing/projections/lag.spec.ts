import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Lag } from './lag.js';

describe('the lag of read models', () => {
  let now: number;
  let lag: Lag;

  beforeEach(() => {
    now = 1_000;
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    lag = new Lag();
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('is the time since the process saw the oldest end of the log that they have not reached', () => {
    lag.noteEnd('3');
    now += 400;
    lag.noteEnd('5');
    now += 400;
    lag.noteEnd('5');
    expect(lag.ms).toBe(800);
    lag.noteCheckpoint('4');
    expect(lag.ms).toBe(400);
    lag.noteCheckpoint('5');
    expect(lag.ms).toBe(0);
  });

  it('is nothing while they reach each end as soon as it is seen, and of ends that they have passed', () => {
    lag.noteCheckpoint('5');
    lag.noteEnd('5');
    lag.noteEnd('4');
    now += 9_000;
    expect(lag.ms).toBe(0);
  });

  it('names the end that they must reach to be less than so long out of date', () => {
    for (const end of ['1', '2', '3', '4']) {
      lag.noteEnd(end);
      now += 500;
    }
    expect(lag.overdue(1_000)).toBe('2');
    lag.noteCheckpoint('1');
    expect(lag.overdue(1_000)).toBe('2');
    lag.noteCheckpoint('2');
    expect(lag.overdue(1_000)).toBeUndefined();
    expect(lag.ms).toBe(1_000);
  });

  it('keeps a bounded number of ends, the oldest among them, however long they stand still', () => {
    const began = now;
    for (let end = 1; end <= 10_000; end += 1) {
      lag.noteEnd(String(end).padStart(5, '0'));
      now += end % 2 === 0 ? 250 : 1;
    }
    expect(lag.ms).toBe(now - began);
    lag.noteCheckpoint('05000');
    expect(lag.ms).toBeGreaterThan(((now - began) / 2) * 0.9);
    lag.noteCheckpoint('10000');
    expect(lag.ms).toBe(0);
  });

  it('is one that a fold makes up for while their checkpoint moved in the last 5 s', () => {
    expect(lag.isFolding).toBe(false);
    lag.noteCheckpoint('1');
    now += 4_999;
    lag.noteCheckpoint('1');
    expect(lag.isFolding).toBe(true);
    now += 1;
    expect(lag.isFolding).toBe(false);
  });
});
