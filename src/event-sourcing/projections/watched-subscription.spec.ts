import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '../../kernel/errors.js';
import type { EventBatch } from '../event-log/event-log.js';
import { type Patience, StalledError, watched } from './watched-subscription.js';

const PATIENCE: Patience = { stalledMs: 60, lookEveryMs: 10, withoutLogMs: 100 };
const never = new Promise<never>(() => undefined);

/** A subscription that delivers some batches and then nothing more. */
async function* silentAfter(...reached: readonly string[]): AsyncGenerator<EventBatch> {
  for (const position of reached) yield { events: [], reached: position };
  await never;
}

async function reachedOf(
  batches: AsyncIterable<EventBatch>,
  head: () => Promise<string>,
  signal = new AbortController().signal,
): Promise<string[]> {
  const seen: string[] = [];
  for await (const { reached } of watched(batches, '', { head }, signal, PATIENCE)) {
    seen.push(reached);
  }
  return seen;
}

describe('a subscription that is watched', () => {
  it('is stalled when the log goes on and nothing comes', async () => {
    const reading = reachedOf(silentAfter('1', '2'), async () => '3');
    await expect(reading).rejects.toThrow(StalledError);
    await expect(reading).rejects.toThrow('after position 2, although the log has events up to 3');
  });

  it('is not stalled at the head, for as long as it takes', async () => {
    const abort = new AbortController();
    let looks = 0;
    const head = async (): Promise<string> => {
      looks += 1;
      if (looks * PATIENCE.lookEveryMs > 3 * PATIENCE.stalledMs) abort.abort();
      return '2';
    };
    expect(await reachedOf(silentAfter('1', '2'), head, abort.signal)).toEqual(['1', '2']);
  });

  it('is not stalled while its batches are worked on', async () => {
    const batches = watched(
      silentAfter('1', '2'),
      '',
      { head: async () => '3' },
      new AbortController().signal,
      PATIENCE,
    );
    await batches.next();
    const until = performance.now() + 2 * PATIENCE.stalledMs;
    while (performance.now() < until) await new Promise(setImmediate);
    expect((await batches.next()).value).toMatchObject({ reached: '2' });
    await expect(batches.next()).rejects.toThrow(StalledError);
  });

  it('ends with the fault of a log that cannot be reached for too long', async () => {
    const gone = (): Promise<never> => Promise.reject(new Unavailable('event log', 'gone'));
    await expect(reachedOf(silentAfter('1'), gone)).rejects.toThrow('event log unavailable: gone');
  });

  it('ends at once when it is told to, though neither subscription nor log answers', async () => {
    const abort = new AbortController();
    const reading = reachedOf(silentAfter('1'), () => never, abort.signal);
    abort.abort();
    expect(await reading).toEqual([]);
  });

  it('keeps no batch in memory that was worked on', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const abort = new AbortController();
    const head = async (): Promise<string> => '5';
    const batches = watched(silentAfter('1', '2', '3', '4', '5'), '', { head }, abort.signal);
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
  });
});
