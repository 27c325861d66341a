import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { readStoreContract } from '../../../test/contracts/read-store.contract.js';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { START } from '../../kernel/position.js';
import { SqliteReadStore } from './sqlite-read-store.js';

readStoreContract('SQLite', async () => {
  const directory = makeTempDirectory();
  let store = new SqliteReadStore(directory.path);
  return {
    store,
    async reopen() {
      await store.close();
      store = new SqliteReadStore(directory.path);
      return store;
    },
    async dispose() {
      await store.close();
      directory.remove();
    },
  };
});

describe('SQLite in a long replay', () => {
  it('puts off its indexes until a document is looked up or the replay is finished', async () => {
    const directory = makeTempDirectory();
    const store = new SqliteReadStore(directory.path);
    const collections = { things: { indexes: { by_number: ['number'] } } };
    const model = store.readModel({ name: 'replayed', version: 1, collections });
    const reader = new Database(join(directory.path, 'replayed.1.db'), { readonly: true });
    const indexes = (): unknown[] =>
      reader.prepare("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL").all();
    const write = { collection: 'things', key: 'a', document: { number: 1 }, position: '1' };
    await model.write([{ ...write, isNew: true }], START, '1');
    expect(indexes()).toEqual([]);
    await model.finishReplay();
    expect(indexes()).toHaveLength(2);
    reader.close();
    await store.close();
    directory.remove();
  });
});
