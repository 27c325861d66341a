import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, describe, it } from '@jest/globals';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { SqliteReadStore } from './sqlite-read-store.js';

const definition = { name: 'things', version: 1, collections: { things: { indexes: {} } } };

describe('Who asks SQLite which generations are being filled', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let store: SqliteReadStore;
  let others: SqliteReadStore[];

  beforeEach(() => {
    directory = makeTempDirectory();
    store = new SqliteReadStore(directory.path);
    store.readModel(definition);
    others = [];
  });

  afterEach(async () => {
    for (const one of [store, ...others]) await one.close();
    directory.remove();
  });

  /** As another process has it. */
  function another(): SqliteReadStore {
    const other = new SqliteReadStore(directory.path);
    others.push(other);
    return other;
  }

  /** Of this process, removed or not. */
  function openFiles(): string[] {
    const descriptors = '/proc/self/fd';
    return readdirSync(descriptors)
      .filter((name) => lstatSync(`${descriptors}/${name}`, { throwIfNoEntry: false }))
      .map((name) => readlinkSync(`${descriptors}/${name}`))
      .filter((file) => file.startsWith(directory.path))
      .sort();
  }

  it('opens no file for it again and again', async () => {
    const filling = await another().fill(definition);
    expect(await store.isFilling(definition)).toBe(true);
    const open = openFiles();
    for (let time = 0; time < 10; time++) await store.isFilling(definition);
    expect(openFiles()).toEqual(open);
    await filling.discard();
    expect(await store.isFilling(definition)).toBe(false);
    expect(openFiles().filter((file) => file.includes('things.2.db'))).toEqual([]);
  });

  it('takes none for one of the same number that was left before', async () => {
    const killed = another();
    const { generation } = (await killed.fill(definition)).model;
    expect(await store.isFilling(definition)).toBe(true);
    await killed.close();
    const filling = await another().fill(definition);
    expect(filling.model.generation).toBe(generation);
    expect(await store.isFilling(definition)).toBe(true);
    await filling.serve();
    expect(await store.readModel(definition).isSuperseded()).toBe(true);
  });

  it('removes what a process left that was killed', async () => {
    const killed = another();
    await killed.fill(definition);
    await killed.close();
    const left = () => readdirSync(directory.path).filter((file) => file.startsWith('things.2.'));
    expect(left()).not.toEqual([]);
    expect(await store.isFilling(definition)).toBe(false);
    expect(left()).toEqual([]);
  });
});
