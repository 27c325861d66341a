import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { event } from '../../../test/contracts/opened-log.js';
import { logWith } from '../../../test/support/specs/log-with.js';
import type { EventLog } from './event-log.js';
import { SqliteEventLog } from './sqlite/sqlite-event-log.js';
import { Unavailable } from '../../kernel/errors.js';
import type { Position } from '../../kernel/position.js';
import { LogFollower } from './log-follower.js';

const WITHIN_MS = 1_000;

/** A memory that records the forgotten keys. */
class NotedMemory {
  readonly forgotten: unknown[] = [];
  /** The positions at which it began, one for each time that it forgot everything. */
  readonly begins: Position[] = [];
  onHeard = (): void => undefined;

  apply({ data }: { readonly data: unknown }): void {
    this.forgotten.push(data);
    this.onHeard();
  }

  forgetAll(at: Position): void {
    this.begins.push(at);
  }

  get forgotAll(): number {
    return this.begins.length;
  }
}

describe('a follower of the log', () => {
  let log: SqliteEventLog;
  let memory: NotedMemory;
  let streams: number;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    memory = new NotedMemory();
    streams = 0;
  });

  afterEach(async () => {
    jest.useRealTimers();
    jest.restoreAllMocks();
    await log.close();
  });

  async function happens(amount: number, type = 'Changed'): Promise<void> {
    await log.append(`stream-${(streams += 1)}`, [event({ amount }, type)], 'no-stream');
  }

  it('has its memory forget what happened since the look before', async () => {
    await happens(0);
    const follower = new LogFollower(log, memory);
    expect(follower.ageMs).toBe(Infinity);
    await follower.look();
    expect(memory.forgotten).toEqual([]);
    await happens(1);
    await happens(2, 'NeverHeardOf');
    await follower.look();
    await happens(3);
    await follower.look();
    const forgotten = [1, 2, 3].map((amount) => ({ amount }));
    expect(memory).toMatchObject({ forgotten, forgotAll: 1 });
  });

  it('checks the log every 250 ms, and a third as often once nobody has asked for 30 s', async () => {
    jest.useFakeTimers();
    const head = jest.spyOn(log, 'head');
    const follower = new LogFollower(log, memory);
    await follower.look();
    follower.start();
    const looksIn = async (ms: number): Promise<number> => {
      head.mockClear();
      await jest.advanceTimersByTimeAsync(ms);
      return head.mock.calls.length;
    };
    expect(await looksIn(29_000)).toBe(116);
    await looksIn(2_000);
    expect(await looksIn(30_000)).toBe(40);
    await follower.catchUpTo(-Infinity);
    expect(await looksIn(3_000)).toBe(12);
    follower.stop();
  });

  it('stays subscribed from one look to the next, and subscribes anew after a fault or a stop', async () => {
    const follow = jest.spyOn(log, 'follow');
    const follower = new LogFollower(log, memory);
    await follower.look();
    for (const amount of [1, 2, 3]) {
      await happens(amount);
      await follower.look();
    }
    expect(follow).toHaveBeenCalledTimes(1);
    const fault = new Unavailable('event log', 'gone');
    jest.spyOn(memory, 'apply').mockImplementationOnce(() => {
      throw fault;
    });
    await happens(4);
    await expect(follower.look()).rejects.toThrow(fault);
    await follower.look();
    expect(follow).toHaveBeenCalledTimes(2);
    follower.stop();
    const [, second] = follow.mock.calls.map(([, signal]) => signal.aborted);
    expect(second).toBe(true);
    expect(memory.forgotten).toEqual([1, 2, 3, 4].map((amount) => ({ amount })));
  });

  it('subscribes anew when a subscription does not deliver what the log has', async () => {
    let isSilent = false;
    const follow = (after: Position, signal: AbortSignal): ReturnType<EventLog['follow']> => {
      const batches = log.follow(after, signal)[Symbol.asyncIterator]();
      const next = (): ReturnType<typeof batches.next> =>
        isSilent ? new Promise(() => undefined) : batches.next();
      return { [Symbol.asyncIterator]: () => ({ next }) };
    };
    const follower = new LogFollower(logWith(log, { follow }), memory);
    await follower.look();
    await happens(1);
    await follower.look();
    isSilent = true;
    await happens(2);
    await expect(follower.look()).rejects.toThrow(Unavailable);
    isSilent = false;
    await follower.look();
    expect(memory.forgotten).toEqual([{ amount: 1 }, { amount: 2 }]);
  });

  it('lets callers share a look', async () => {
    let asked = 0;
    const head = (): Promise<string> => {
      asked += 1;
      return log.head();
    };
    const follower = new LogFollower(logWith(log, { head }), memory);
    await Promise.all(Array.from({ length: 100 }, () => follower.look()));
    expect(asked).toBe(1);
  });

  it('knows everything that was stored before a moment, with a look only where it has had none since', async () => {
    const follower = new LogFollower(log, memory);
    const before = performance.now();
    await follower.look();
    await happens(1);
    await follower.catchUpTo(before, WITHIN_MS);
    expect(memory.forgotten).toEqual([]);
    await follower.catchUpTo(performance.now(), WITHIN_MS);
    expect(memory.forgotten).toEqual([{ amount: 1 }]);
  });

  it('reads the log only when there is news', async () => {
    const follower = new LogFollower(log, memory);
    await follower.look();
    const read = jest.spyOn(log, 'follow');
    const moment = performance.now();
    await follower.catchUpTo(moment, WITHIN_MS);
    expect(follower.ageMs).toBeLessThanOrEqual(performance.now() - moment);
    expect(read).not.toHaveBeenCalled();
    await happens(1);
    await follower.catchUpTo(performance.now(), WITHIN_MS);
    expect(read).toHaveBeenCalledTimes(1);
    expect(memory.forgotten).toEqual([{ amount: 1 }]);
  });

  it('knows its age from the beginning of a look on', async () => {
    const follower = new LogFollower(log, memory);
    const before = performance.now();
    await follower.look();
    expect(follower.ageMs).toBeLessThanOrEqual(performance.now() - before);
    await follower.catchUpTo(performance.now() - 60_000, WITHIN_MS);
  });

  it('looks when its memory is too old, and says so when the log does not answer', async () => {
    const silent = logWith(log, { head: () => new Promise<never>(() => undefined) });
    const follower = new LogFollower(silent, memory);
    const longAgo = performance.now() - 60_000;
    await expect(follower.catchUpTo(longAgo, WITHIN_MS)).rejects.toThrow(Unavailable);
    const other = new LogFollower(log, memory);
    await other.catchUpTo(longAgo, WITHIN_MS);
    expect(other.ageMs).toBeLessThan(60_000);
  });

  it('is no younger after a look that failed', async () => {
    let isLost = false;
    const head = async (): Promise<string> => {
      if (isLost) throw new Unavailable('event log', 'gone');
      return log.head();
    };
    const follower = new LogFollower(logWith(log, { head }), memory);
    await follower.look();
    isLost = true;
    const age = follower.ageMs;
    await expect(follower.look()).rejects.toThrow(Unavailable);
    expect(follower.ageMs).toBeGreaterThanOrEqual(age);
  });

  it('has its memory forget all when the log went back', async () => {
    await happens(1);
    const earlier = await log.head();
    await happens(2);
    let isRestored = false;
    const head = async (): Promise<string> => (isRestored ? earlier : log.head());
    const follower = new LogFollower(logWith(log, { head }), memory);
    await follower.look();
    isRestored = true;
    await follower.look();
    expect(memory.forgotAll).toBe(2);
  });

  it('begins where it is told, and applies what follows', async () => {
    await happens(1);
    const begin = await log.head();
    await happens(2);
    const follower = new LogFollower(log, memory, { beginAt: () => Promise.resolve(begin) });
    await follower.look();
    expect(memory).toMatchObject({ forgotten: [{ amount: 2 }], begins: [begin] });
  });

  it('begins at the end of a log that does not hold the place where it is told to begin', async () => {
    await happens(1);
    for (const begin of ['9'.repeat(20), '0000000000000001-notitsid']) {
      const end = await log.head();
      const follower = new LogFollower(log, memory, { beginAt: () => Promise.resolve(begin) });
      await follower.look();
      expect(memory.begins.at(-1)).toBe(end);
      await happens(2);
      await follower.look();
      expect(memory.forgotten.at(-1)).toEqual({ amount: 2 });
    }
  });

  it('gives other work its turns while it applies many events', async () => {
    const begin = await log.head();
    for (let amount = 0; amount < 20; amount++) await happens(amount);
    let turns = 0;
    memory.onHeard = () => {
      const until = performance.now() + 2;
      while (performance.now() < until);
    };
    const other = setInterval(() => (turns += 1));
    await new LogFollower(log, memory, { beginAt: () => Promise.resolve(begin) }).look();
    clearInterval(other);
    expect(turns).toBeGreaterThan(3);
    expect(memory.forgotten).toHaveLength(20);
  });
});
