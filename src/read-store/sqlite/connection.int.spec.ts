import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { connect, makeDurable } from './connection.js';
import { SqliteReadStore } from './sqlite-read-store.js';

const definition = { name: 'things', version: 1, collections: { things: { indexes: {} } } };
const OFF = 0;
const FULL = 2;
/** Where a database says how it is written and read, and what it says of a write-ahead log. */
const FORMAT_BYTES = [18, 20] as const;
const WRITTEN_AHEAD = [2, 2];

describe('a database of read models that is filled alone', () => {
  let directory: ReturnType<typeof makeTempDirectory>;

  beforeEach(() => {
    directory = makeTempDirectory();
  });

  afterEach(() => directory.remove());

  it('waits for the disk only when it is made durable', () => {
    const db = connect(join(directory.path, 'things.db'), 0, 'exclusive');
    const pragma = (name: string): unknown => db.prepare(`PRAGMA ${name}`).pluck().get();
    expect([pragma('journal_mode'), pragma('synchronous')]).toEqual(['memory', OFF]);
    db.exec('CREATE TABLE things (key)');
    makeDurable(db);
    expect([pragma('journal_mode'), pragma('synchronous')]).toEqual(['wal', FULL]);
    db.close();
  });

  it('is made durable before it serves', async () => {
    const store = new SqliteReadStore(directory.path);
    const filling = await store.fill(definition);
    const file = join(directory.path, `things.${filling.model.generation}.db`);
    const format = (): number[] => [...readFileSync(file).subarray(...FORMAT_BYTES)];
    expect(format()).not.toEqual(WRITTEN_AHEAD);
    await filling.serve();
    expect(format()).toEqual(WRITTEN_AHEAD);
    await store.close();
  });

  it('undoes a write that fails half way', async () => {
    const store = new SqliteReadStore(directory.path);
    const filling = await store.fill(definition);
    const write = (key: string, document: object) => ({
      collection: 'things',
      key,
      document: { ...document },
      position: '1',
      isNew: true,
    });
    const good = [write('a', { number: 1 })];
    const bad = [...good, write('b', { number: 1n })];
    await expect(filling.model.write(bad, '', '1')).rejects.toThrow();
    expect(await filling.model.checkpoint()).toBe('');
    await filling.model.write(good, '', '1');
    expect(await filling.model.scan('things', '', 10)).toHaveLength(1);
    await filling.discard();
    await store.close();
  });
});
