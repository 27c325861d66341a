import { existsSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import Database from 'better-sqlite3';
import type { OpenedStore } from '../../../../test/contracts/opened-store.js';
import { fillingContract } from '../../../../test/contracts/filling.contract.js';
import { readStoreContract } from '../../../../test/contracts/read-store.contract.js';
import { makeTempDirectory } from '../../../../test/support/harness/temp-directory.js';
import { Unavailable } from '../../../kernel/errors.js';
import { START } from '../../../kernel/position.js';
import type { Change } from '../read-store.js';
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

readStoreContract('SQLite', openDirectory);

describe('a first fold in a directory', () => {
  let opened: OpenedStore;
  beforeEach(async () => {
    opened = await openDirectory();
  });
  afterEach(() => opened.dispose());
  fillingContract(() => opened);
});

const NAME = 'things.00000000.g1';
const THINGS = { things: { indexes: { by_number: ['number'] } } };

function thing(key: string, number = 1): Change {
  return { collection: 'things', key, document: { number }, isNew: true };
}

describe('the read store in a directory', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let store: SqliteReadStore;

  beforeEach(() => {
    directory = makeTempDirectory();
    store = new SqliteReadStore(directory.path);
  });

  afterEach(async () => {
    jest.useRealTimers();
    await store.close();
    directory.remove();
  });

  it('leaves nothing of a namespace that is dropped', async () => {
    await store.namespace(NAME, THINGS).write(START, '1', [thing('a')]);
    await store.drop(NAME);
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it('lets no reader wait behind a row of reads of another one, and closes after all of them', async () => {
    const namespace = store.namespace(NAME, THINGS);
    await namespace.write(START, '1', [thing('a')]);
    const answered: string[] = [];
    const read = (reader: string): Promise<unknown> =>
      namespace
        .read((view) => view.get('things', 'a'), { reader })
        .then((found) => answered.push(found ? reader : 'nothing'));
    const busy = Array.from({ length: 5 }, () => read('busy'));
    const closed = namespace.close().then(() => answered.push('closed'));
    const others = [read('other'), read('third')];
    await Promise.all([...busy, ...others, closed]);
    expect(answered.slice(0, 3)).toEqual(['busy', 'other', 'third']);
    expect(answered.slice(3)).toEqual(['busy', 'busy', 'busy', 'busy', 'closed']);
    expect(existsSync(join(directory.path, `${NAME}.db-wal`))).toBe(false);
  });

  it('lets a reader of very many characters rest, while others read', async () => {
    // Only this test moves the clock, so a slow machine makes no read longer and no rest shorter.
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const namespace = store.namespace(NAME, THINGS);
    const large = { collection: 'things', key: 'large', isNew: true };
    const document = { number: 2, text: 'x'.repeat(1_100_000) };
    await namespace.write(START, '1', [thing('small'), { ...large, document }]);
    const answered: string[] = [];
    const read = (reader: string, number: number, takesMs: number): Promise<unknown> => {
      const range = { index: 'by_number', equals: { number }, limit: 1 };
      return namespace
        .read(
          (view) => {
            jest.advanceTimersByTime(takesMs);
            return view.range('things', range);
          },
          { reader },
        )
        .then(({ documents }) => answered.push(`${reader} ${documents.length}`));
    };
    const long = [read('busy', 2, 10), read('busy', 2, 10)];
    await long[0];
    for (let round = 0; round < 4; round += 1) await read('other', 1, 0);
    jest.advanceTimersByTime(39);
    await read('other', 1, 0);
    expect(answered).toEqual(['busy 1', ...Array<string>(5).fill('other 1')]);
    jest.advanceTimersByTime(1);
    await Promise.all(long);
    expect(answered.at(-1)).toBe('busy 1');
    await namespace.close();
    expect(existsSync(join(directory.path, `${NAME}.db-wal`))).toBe(false);
  });

  it('counts very many entries of one state, and lets other work go on meanwhile', async () => {
    const namespace = store.namespace(NAME, THINGS);
    // Every third entry has the value of another, so steps begin between equal entries.
    const numbers = Array.from(
      { length: 25_000 },
      (_, number) => number - (number % 3 === 0 ? 0 : 1),
    );
    const things = numbers.map((number, nth) => thing(`${nth}`, number));
    await namespace.write(START, '1', things);
    let turns = 0;
    const turning = setInterval(() => (turns += 1));
    const bounds = { index: 'by_number', equals: {}, from: 30, before: 24_999 };
    const counts = await namespace.read(async (view) => {
      const other = new SqliteReadStore(directory.path);
      const first = view.count('things', bounds);
      await other.namespace(NAME, THINGS).write('1', '2', [thing('new', 500)]);
      await other.close();
      return [await first, await view.count('things', { index: 'by_number', equals: {} })];
    });
    clearInterval(turning);
    expect(counts).toEqual([
      numbers.filter((number) => number >= 30 && number < 24_999).length,
      25_000,
    ]);
    expect(turns).toBeGreaterThan(1);
  });

  it('counts entries without a value', async () => {
    const namespace = store.namespace(NAME, THINGS);
    const things = Array.from({ length: 25_000 }, (_, nth) => ({
      ...thing(`${nth}`, nth),
      document: nth < 12_000 ? {} : { number: nth },
    }));
    await namespace.write(START, '1', things);
    const part = { index: 'by_number', equals: {} };
    expect(await namespace.read((view) => view.count('things', part))).toBe(25_000);
  });

  it('lets nobody else see a namespace that is filled, and everybody one that was settled', async () => {
    const filled = store.namespace(NAME, THINGS, { isFilled: true });
    await filled.write(START, '1', [thing('a', 2), thing('b', 1)]);
    const other = new SqliteReadStore(directory.path);
    try {
      const state = { name: NAME, serves: false, isTorn: false };
      expect(await other.namespaces()).toEqual([{ ...state, checkpoint: START, isLocked: true }]);
      await filled.settle();
      expect(await other.namespaces()).toEqual([{ ...state, checkpoint: '1', isLocked: false }]);
      await filled.serve();
      expect(await other.namespaces()).toMatchObject([{ checkpoint: '1', serves: true }]);
      const range = { index: 'by_number', equals: {}, limit: 9 };
      const found = other.namespace(NAME, THINGS).read((view) => view.range('things', range));
      expect((await found).documents).toEqual([{ number: 1 }, { number: 2 }]);
    } finally {
      await other.close();
    }
  });

  it('waits for the state of a namespace that another connection recovers', async () => {
    await store.namespace(NAME, THINGS).write(START, '1', [thing('a')]);
    await store.close();
    const busy = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY_RECOVERY' });
    const other = new SqliteReadStore(directory.path);
    const prepare = jest.spyOn(Database.prototype, 'prepare').mockImplementationOnce(() => {
      throw busy;
    });
    const states = await other.namespaces();
    expect(prepare).toHaveBeenCalled();
    prepare.mockRestore();
    expect(states).toMatchObject([{ name: NAME, checkpoint: '1', isLocked: false }]);
    await other.close();
  });

  it('tells what was left half filled from what this process fills, and from what was settled', async () => {
    const filled = store.namespace(NAME, THINGS, { isFilled: true });
    await filled.write(START, '1', [thing('a')]);
    const state = { name: NAME, checkpoint: '1', serves: false, isLocked: false };
    expect(await store.namespaces()).toEqual([{ ...state, isTorn: false }]);
    await filled.close();
    expect(await store.namespaces()).toEqual([{ ...state, isTorn: true }]);
    await filled.settle();
    expect(await store.namespaces()).toEqual([{ ...state, isTorn: false }]);
  });

  it('ends soon what makes indexes, and goes on with it later', async () => {
    const filled = store.namespace(NAME, THINGS, { isFilled: true });
    await filled.write(START, '1', [thing('a')]);
    await expect(filled.settle(AbortSignal.abort())).rejects.toThrow('aborted');
    await filled.settle();
    const range = { index: 'by_number', equals: {}, limit: 9 };
    const { documents } = await filled.read((view) => view.range('things', range));
    expect(documents).toEqual([{ number: 1 }]);
  });

  it('refuses a document that was created twice while a namespace is filled, when it is settled', async () => {
    const filled = store.namespace(NAME, THINGS, { isFilled: true });
    await filled.write(START, '1', [thing('a')]);
    await filled.write('1', '2', [thing('a', 2)]);
    await expect(filled.settle()).rejects.toThrow(/is damaged .*UNIQUE.* rebuild things/);
  });

  it('says that a namespace is damaged', async () => {
    writeFileSync(
      join(directory.path, `${NAME}.db`),
      'no database at all, but long enough for one',
    );
    const namespace = store.namespace(NAME, THINGS);
    await expect(namespace.checkpoint()).rejects.toThrow(Unavailable);
    await expect(namespace.checkpoint()).rejects.toThrow(/is damaged .* rebuild things/);
    await store.drop(NAME);
    const anew = store.namespace(NAME, THINGS);
    await anew.write(START, '1', [thing('a')]);
    expect(await anew.checkpoint()).toBe('1');
  });

  it('is unavailable when its directory cannot be read', async () => {
    const moved = `${directory.path}-moved`;
    renameSync(directory.path, moved);
    try {
      await expect(store.namespaces()).rejects.toThrow(Unavailable);
      await expect(store.ping()).rejects.toThrow('was deleted or replaced');
    } finally {
      renameSync(moved, directory.path);
    }
    await store.ping();
  });

  it('closes what a namespace has open, and opens it again', async () => {
    const namespace = store.namespace(NAME, THINGS);
    await namespace.write(START, '1', [thing('a')]);
    await namespace.close();
    expect(existsSync(join(directory.path, `${NAME}.db-wal`))).toBe(false);
    expect(await namespace.checkpoint()).toBe('1');
  });
});
