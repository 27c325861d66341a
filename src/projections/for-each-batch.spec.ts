import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import type { EventBatch } from '../event-log/event-log.js';
import { forEachBatch } from './for-each-batch.js';

const batchAt = (reached: string): EventBatch => ({ events: [], reached });

async function* batches(ended: () => void): AsyncGenerator<EventBatch> {
  try {
    for (const reached of ['1', '2', '3']) yield batchAt(reached);
  } finally {
    ended();
  }
}

describe('folding batch after batch', () => {
  it.each([
    ['there are no more', '', ['1', '2', '3']],
    ['the fold says so', '2', ['1', '2']],
  ])('goes on until %s, and ends the reading', async (_, last, expected) => {
    const folded: string[] = [];
    let ends = 0;
    await forEachBatch(
      batches(() => (ends += 1)),
      async ({ reached }) => {
        folded.push(reached);
        return reached !== last;
      },
    );
    expect(folded).toEqual(expected);
    expect(ends).toBe(1);
  });

  it('ends the reading when a fold fails, and tells of it', async () => {
    let ends = 0;
    const folding = forEachBatch(
      batches(() => (ends += 1)),
      () => Promise.reject(new Error('poisoned')),
    );
    await expect(folding).rejects.toThrow('poisoned');
    expect(ends).toBe(1);
  });

  it('holds on to no batch while the next one is awaited', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    let folded: WeakRef<EventBatch> | undefined;
    const seen: unknown[] = [];
    let asked = 0;
    const next = async (): Promise<IteratorResult<EventBatch>> => {
      asked += 1;
      if (asked === 1) return { done: false, value: batchAt('1') };
      // What a weak reference gave lives on for the turn in which it was asked.
      await delay(1);
      collect();
      seen.push(folded?.deref());
      return { done: true, value: undefined };
    };
    await forEachBatch({ [Symbol.asyncIterator]: () => ({ next }) }, async (batch) => {
      folded = new WeakRef(batch);
      return true;
    });
    expect(seen).toEqual([undefined]);
  });
});
