import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { tallies } from '../../../test/support/specs/tally.js';
import type { ReadStore } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { generationIn, Generations, namespaceOf } from './generations.js';
import { readSideOf } from './read-side.js';

const OURS = readSideOf('tallies', [tallies]);
const OLDER = readSideOf('tallies', [{ ...tallies, version: 7 }]);
const MINUTES = 60_000;

describe('the generations of a read side', () => {
  let store: ReadStore;
  let generations: Generations;
  let now: number;

  beforeEach(() => {
    store = new SqliteReadStore(':memory:');
    generations = new Generations(OURS, store);
    now = performance.now();
    jest.spyOn(performance, 'now').mockImplementation(() => now);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await store.close();
  });

  /** Writes a generation up to a position. */
  async function fold(readSide: typeof OURS, generation: number, serves: boolean): Promise<void> {
    const namespace = new Generations(readSide, store).open(generation);
    await namespace.write('', '1', []);
    if (serves) await namespace.serve();
  }

  /** Sweeps each minute. @returns the generations that are left. */
  async function sweepFor(minutes: number): Promise<string[]> {
    for (let minute = 0; minute <= minutes; minute += 1) {
      await generations.sweep(await generations.look());
      now += MINUTES;
    }
    return (await store.namespaces()).map(({ name }) => name);
  }

  it('are read from the highest number that serves', async () => {
    await fold(OURS, 1, true);
    await fold(OURS, 2, true);
    await fold(OURS, 3, false);
    await fold(OLDER, 9, true);
    expect(await generations.look()).toMatchObject({ serving: 2, checkpoint: '1', newest: 3 });
  });

  it('say in their names what they hold', () => {
    expect(namespaceOf(OURS, 3)).toMatch(/^tallies\.[0-9a-f]{8}\.g3$/);
    const digest = OURS.digest;
    expect(generationIn(namespaceOf(OURS, 3))).toEqual({
      readSide: 'tallies',
      digest,
      generation: 3,
    });
    expect(OLDER.digest).not.toBe(digest);
    expect(generationIn('tallies.00.g1')).toBeUndefined();
  });

  it('never have the number of one that served and was dropped before anybody looked', async () => {
    const namespace = generations.open(1);
    await namespace.write('', '1', []);
    await generations.serve(1, namespace);
    await store.drop(namespaceOf(OURS, 1));
    expect(await generations.look()).toMatchObject({ serving: null, newest: 1 });
  });

  it('are dropped soon after they were replaced, and not at once', async () => {
    await fold(OURS, 1, true);
    await fold(OURS, 2, true);
    expect(await sweepFor(0)).toHaveLength(2);
    expect(await sweepFor(0)).toEqual([namespaceOf(OURS, 2)]);
  });

  it('are dropped when they stood still for ten minutes and never served', async () => {
    await fold(OURS, 1, true);
    await fold(OURS, 2, false);
    expect(await sweepFor(9)).toHaveLength(2);
    await generations.open(2).write('1', '2', []);
    expect(await sweepFor(9)).toHaveLength(2);
    expect(await sweepFor(2)).toEqual([namespaceOf(OURS, 1)]);
  });

  it('of other versions are dropped once nobody has had their lease for ten minutes', async () => {
    await fold(OLDER, 1, true);
    await store.lease(new Generations(OLDER, store).lease, 'older', '1', 1_000);
    expect(await sweepFor(60)).toEqual([namespaceOf(OLDER, 1)]);
    await fold(OURS, 1, true);
    expect(await sweepFor(60)).toHaveLength(2);
    await store.release(new Generations(OLDER, store).lease, 'older');
    expect(await sweepFor(9)).toHaveLength(2);
    expect(await sweepFor(3)).toEqual([namespaceOf(OURS, 1)]);
  });
});
