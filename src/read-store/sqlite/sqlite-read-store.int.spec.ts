import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import type { OpenedStore } from '../../../test/contracts/opened-store.js';
import { continuingContract } from '../../../test/contracts/read-store-continuing.contract.js';
import { generationsContract } from '../../../test/contracts/read-store-generations.contract.js';
import { readStoreContract } from '../../../test/contracts/read-store.contract.js';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { Unavailable } from '../../kernel/errors.js';
import { START } from '../../kernel/position.js';
import { SqliteReadStore } from './sqlite-read-store.js';

async function openDirectory(): Promise<OpenedStore> {
  const directory = makeTempDirectory();
  let store = new SqliteReadStore(directory.path);
  const others: SqliteReadStore[] = [];
  return {
    store,
    async another() {
      const other = new SqliteReadStore(directory.path);
      others.push(other);
      return other;
    },
    async reopen() {
      await store.close();
      store = new SqliteReadStore(directory.path);
      return store;
    },
    async dispose() {
      for (const one of [store, ...others]) await one.close();
      directory.remove();
    },
  };
}

/** A directory for each test of a suite; it goes after the test, when all that was opened in it has been closed. */
function directoryOfEachTest(): {
  readonly path: string;
  store(role?: 'reads'): SqliteReadStore;
  database(file: string, options?: Database.Options): Database.Database;
} {
  let directory: ReturnType<typeof makeTempDirectory>;
  let opened: { close(): unknown }[];

  function closedAfterwards<Opened extends { close(): unknown }>(one: Opened): Opened {
    opened.push(one);
    return one;
  }

  beforeEach(() => {
    directory = makeTempDirectory();
    opened = [];
  });

  afterEach(async () => {
    for (const one of opened) await one.close();
    directory.remove();
  });

  return {
    get path() {
      return directory.path;
    },
    store: (role) => closedAfterwards(new SqliteReadStore(directory.path, role)),
    database: (file, options) =>
      closedAfterwards(new Database(join(directory.path, file), options)),
  };
}

readStoreContract('SQLite', openDirectory);
generationsContract('SQLite', openDirectory);
continuingContract('SQLite', openDirectory);

describe('SQLite in a long replay', () => {
  const directory = directoryOfEachTest();

  it('gives indexes to the collection that is looked up, and to no other', async () => {
    const store = directory.store();
    const collections = { many: { indexes: { by_number: ['number'] } }, counters: { indexes: {} } };
    const model = store.readModel({ name: 'replayed', version: 1, collections });
    const reader = directory.database('replayed.1.db', { readonly: true });
    await model.getMany('counters', ['all']);
    await model.write(
      [
        { collection: 'many', key: 'a', document: { number: 1 }, position: '1', isNew: true },
        { collection: 'counters', key: 'all', document: {}, position: '1', isNew: false },
      ],
      START,
      '1',
    );
    const indexed = reader
      .prepare("SELECT DISTINCT tbl_name FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL")
      .pluck()
      .all();
    expect(indexed).toEqual(['counters']);
  });

  it.each([1, 15, 16, 17, 40])('keeps each of %i new documents', async (count) => {
    const collections = { things: { indexes: { by_number: ['number'] } } };
    const model = directory.store().readModel({ name: 'replayed', version: 1, collections });
    const written = Array.from({ length: count }, (_, number) => ({
      ...{ collection: 'things', key: `${100 + number}`, document: { number, text: `${number}` } },
      ...{ position: `${number}`, isNew: true },
    }));
    await model.write(written, START, '1');
    const kept = await model.scan('things', '', 99);
    expect(kept).toEqual(
      written.map(({ key, document, position }) => ({ key, document, position })),
    );
  });

  it('keeps what a document says of its key once', async () => {
    const things = { indexes: {}, key: 'id' };
    const model = directory
      .store()
      .readModel({ name: 'named', version: 1, collections: { things } });
    const write = { collection: 'things', key: 'a', document: { id: 'a' }, position: '1' };
    await model.write([{ ...write, isNew: true }], START, '1');
    const file = directory.database('named.1.db', { readonly: true });
    expect(file.prepare('SELECT body FROM things').pluck().all()).toEqual(['{}']);
    expect(await model.get('things', 'a')).toMatchObject({ document: { id: 'a' } });
  });

  it('puts off its indexes until a document is looked up or the replay is finished', async () => {
    const store = directory.store();
    const collections = { things: { indexes: { by_number: ['number'] } } };
    const model = store.readModel({ name: 'replayed', version: 1, collections });
    const reader = directory.database('replayed.1.db', { readonly: true });
    const indexes = (): unknown[] =>
      reader.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL").all();
    const write = { collection: 'things', key: 'a', document: { number: 1 }, position: '1' };
    await model.write([{ ...write, isNew: true }], START, '1');
    expect(indexes()).toEqual([]);
    await model.finishReplay();
    expect(indexes()).toHaveLength(2);
  });
});

describe('SQLite where one store folds and another one reads', () => {
  const directory = directoryOfEachTest();
  const collections = { things: { indexes: { by_number: ['number'] } } };
  const definition = { name: 'replayed', version: 1, collections };
  const write = { collection: 'things', key: 'a', document: { number: 1 }, position: '1' };

  it('reads what there is once the other has made the indexes, and makes none', async () => {
    const reading = directory.store('reads');
    const folding = directory.store();
    const read = reading.readModel(definition);
    const folded = folding.readModel(definition);
    await folded.write([{ ...write, isNew: true }], START, '1');
    const wanted = { document: { number: 1 }, position: '1' };
    const one = read.get('things', 'a');
    const all = read.snapshot((view) => view.scan('things', '', 9));
    const file = directory.database('replayed.1.db', { readonly: true });
    const indexes = file.prepare(
      "SELECT 1 FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL",
    );
    expect(await Promise.race([one, all, delay(50, 'nothing yet')])).toBe('nothing yet');
    expect(indexes.all()).toEqual([]);
    await folded.finishReplay();
    expect(await one).toEqual(wanted);
    expect(await all).toEqual([{ key: 'a', ...wanted }]);
  });

  it('leaves indexes that are still to be made when it is told to stop, and makes them later', async () => {
    const store = directory.store();
    const model = store.readModel(definition);
    await model.write([{ ...write, isNew: true }], START, '1');
    const file = directory.database('replayed.1.db', { readonly: true });
    const indexes = file.prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL",
    );
    await model.finishReplay(AbortSignal.abort());
    expect(indexes.all()).toEqual([]);
    await model.finishReplay(new AbortController().signal);
    expect(indexes.all().length).toBeGreaterThan(0);
  });

  it('writes nothing', async () => {
    const reading = directory.store('reads');
    const model = reading.readModel(definition);
    await expect(model.write([], START, '1')).rejects.toThrow(Unavailable);
    await expect(model.finishReplay()).rejects.toThrow(Unavailable);
    expect(await model.checkpoint()).toBe(START);
  });
});

describe('SQLite as a directory of generations', () => {
  const directory = directoryOfEachTest();
  const definition = {
    name: 'things',
    version: 1,
    collections: { things: { indexes: { by_number: ['number'] } } },
  };
  const write = { collection: 'things', key: 'a', position: '1', isNew: false };

  function databases(path: string): string[] {
    return readdirSync(path).filter((file) => file.startsWith('things.'));
  }

  it('has the files of the generation that serves alone, once a fill has ended in whatever way', async () => {
    const store = directory.store();
    store.readModel(definition);
    await (await store.fill(definition)).discard();
    const left = directory.store();
    const { model } = await left.fill(definition);
    await model.write([{ ...write, document: { number: 1 } }], START, '1');
    expect(databases(directory.path)).toContain('things.2.db');
    await left.close();
    expect(databases(directory.path)).toContain('things.2.db');
    await (await store.fill(definition)).serve();
    await store.close();
    const restarted = directory.store();
    expect(restarted.readModel(definition).generation).toBe(2);
    await restarted.close();
    expect(databases(directory.path)).toEqual(['things.2.db']);
  });

  it('shows in a scan what a column says that is not what its document says', async () => {
    const store = directory.store();
    const model = store.readModel(definition);
    await model.write([{ ...write, document: { number: 1, flag: true } }], START, '1');
    expect(await model.scan('things', '', 9)).toMatchObject([{ document: { number: 1 } }]);
    const hand = directory.database('things.1.db');
    hand.exec('UPDATE things SET number = 2');
    hand.close();
    expect(await model.scan('things', '', 9)).toMatchObject([{ document: { number: 2 } }]);
  });

  it('answers a range from the index that is named, never in another way', async () => {
    const store = directory.store();
    const things = {
      indexes: { by_owner: ['owner', 'number'], by_kind: ['owner', 'kind', 'number'] },
    };
    const model = store.readModel({ name: 'ranged', version: 1, collections: { things } });
    await model.finishReplay();
    const equals = { owner: 'ada', kind: 'rare' };
    const range = { index: 'by_kind', equals, limit: 5 };
    expect(await model.find('things', range)).toEqual([]);
    const hand = directory.database('ranged.1.db');
    hand.exec('DROP INDEX "things.by_kind"');
    hand.close();
    const refused = await model.find('things', range).catch((error: unknown) => error);
    expect(String(refused)).toContain('no such index');
  });
});
