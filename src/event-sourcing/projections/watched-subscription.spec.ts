import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Unavailable } from '../../kernel/errors.js';
import type { EventBatch } from '../event-log/event-log.js';
import { StalledError, watch } from './watched-subscription.js';

const never = new Promise<never>(() => undefined);

/** A subscription that delivers some batches and then nothing more. */
async function* silentAfter(...reached: readonly string[]): AsyncGenerator<EventBatch> {
  for (const position of reached) yield { events: [], reached: position };
  await never;
}

describe('a subscription that is watched', () => {
  let abort: AbortController;

  beforeEach(() => {
    jest.useFakeTimers();
    abort = new AbortController();
  });

  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  /** Reads a subscription to its end. @returns the positions it reached, and its fault if any. */
  function reading(batches: AsyncIterable<EventBatch>, head: () => Promise<string>) {
    const seen: { reached: string[]; fault?: unknown; isOver: boolean } = {
      reached: [],
      isOver: false,
    };
    const read = async (): Promise<void> => {
      for await (const { reached } of watch(batches, '', { head }, abort.signal))
        seen.reached.push(reached);
    };
    void read()
      .catch((fault: unknown) => (seen.fault = fault))
      .finally(() => (seen.isOver = true));
    return seen;
  }

  it('is stalled within 8 s, but not within 5 s, when the log goes on and nothing comes', async () => {
    const seen = reading(silentAfter('1', '2'), async () => '3');
    await jest.advanceTimersByTimeAsync(5_000);
    expect(seen).toEqual({ reached: ['1', '2'], isOver: false });
    await jest.advanceTimersByTimeAsync(3_000);
    expect(seen.fault).toBeInstanceOf(StalledError);
    expect(String(seen.fault)).toContain(
      'after position 2, although the event log has events up to position 3',
    );
  });

  it('is not stalled at the head, for as long as it takes', async () => {
    const seen = reading(silentAfter('1', '2'), async () => '2');
    await jest.advanceTimersByTimeAsync(60_000);
    expect(seen).toEqual({ reached: ['1', '2'], isOver: false });
    abort.abort();
    await jest.advanceTimersByTimeAsync(0);
    expect(seen).toEqual({ reached: ['1', '2'], isOver: true });
  });

  it('is not stalled while its batches are worked on', async () => {
    const head = async (): Promise<string> => '3';
    const batches = watch(silentAfter('1', '2'), '', { head }, abort.signal);
    await batches.next();
    await jest.advanceTimersByTimeAsync(60_000);
    expect((await batches.next()).value).toMatchObject({ reached: '2' });
    await jest.advanceTimersByTimeAsync(60_000);
    const stalled = expect(batches.next()).rejects.toThrow(StalledError);
    await jest.advanceTimersByTimeAsync(8_000);
    await stalled;
  });

  it.each([
    ['gives no head', () => Promise.reject(new Unavailable('event log', 'gone')), 'gone'],
    ['never answers', () => never, 'no answer within 20000 ms'],
  ])('ends with the fault of a log that %s for 20 s', async (_, head, fault) => {
    const seen = reading(silentAfter('1'), head);
    await jest.advanceTimersByTimeAsync(20_000);
    expect(seen).toEqual({ reached: ['1'], isOver: false });
    await jest.advanceTimersByTimeAsync(2_000);
    expect(String(seen.fault)).toContain(fault);
  });

  it('ends at once when it is told to, though neither subscription nor log answers', async () => {
    const seen = reading(silentAfter('1'), () => never);
    await jest.advanceTimersByTimeAsync(2_000);
    abort.abort();
    await jest.advanceTimersByTimeAsync(0);
    expect(seen).toEqual({ reached: ['1'], isOver: true });
    await jest.advanceTimersByTimeAsync(20_000);
  });

  it('delivers nothing once it was told to end', async () => {
    abort.abort();
    const seen = reading(silentAfter('1'), async () => '1');
    await jest.advanceTimersByTimeAsync(0);
    expect(seen).toEqual({ reached: [], isOver: true });
  });

  it('keeps no batch in memory that was worked on', async () => {
    jest.useRealTimers();
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const head = async (): Promise<string> => '5';
    const batches = watch(silentAfter('1', '2', '3', '4', '5'), '', { head }, abort.signal);
    const seen: WeakRef<EventBatch>[] = [];
    for (let count = 0; count < 5; count += 1) {
      const { value } = await batches.next();
      if (value) seen.push(new WeakRef(value));
    }
    await new Promise(setImmediate);
    collect();
    // The last one may still be in use.
    const kept = seen.slice(0, 4).filter((batch) => batch.deref() !== undefined);
    expect(kept).toEqual([]);
    abort.abort();
    expect(await batches.next()).toMatchObject({ done: true });
    jest.useFakeTimers();
  });
});
