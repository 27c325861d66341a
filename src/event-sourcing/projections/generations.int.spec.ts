import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tallies } from '../../../test/support/specs/tally.js';
import type { ReadStore } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { Generations, nameOf } from './generations.js';
import { feedLease } from './names.js';

describe('the sweep of generations', () => {
  let store: ReadStore;
  let generations: Generations;

  beforeEach(() => {
    store = new SqliteReadStore(':memory:');
    generations = new Generations(store, feedLease([tallies]));
  });

  afterEach(async () => {
    await store.close();
  });

  const names = async (): Promise<string[]> =>
    (await store.namespaces()).map(({ name }) => name).filter((name) => name.includes('tallies'));

  /** Fills a generation, and gives the generations that a sweep saw meanwhile. */
  async function fill() {
    const filling = await generations.fill(tallies);
    await filling.namespace.write('', '1', async () => []);
    const { entries } = await generations.catalog();
    return { filling, entries, states: await store.namespaces() };
  }

  it('drops what a filling left that came to nothing', async () => {
    const { filling, entries, states } = await fill();
    await filling.namespace.close();
    await filling.end();
    await generations.sweep([tallies], entries, states, () => true);
    expect(await names()).toEqual([]);
  });

  it('leaves a filling that goes on', async () => {
    const { filling, entries, states } = await fill();
    await generations.sweep([tallies], entries, states, () => true);
    expect(await names()).toEqual([nameOf(tallies, filling.generation)]);
    await filling.end();
  });

  it('leaves a generation that came to serve after the sweep had looked', async () => {
    const { filling, entries, states } = await fill();
    await filling.namespace.settle();
    await filling.serve();
    await filling.end();
    await generations.sweep([tallies], entries, states, () => true);
    expect(await names()).toEqual([nameOf(tallies, filling.generation)]);
    expect(await generations.serving(tallies)).toBe(filling.generation);
  });
});
