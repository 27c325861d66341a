import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { START } from '../../kernel/position.js';
import type { Document, DocumentWrite, ReadModel, ReadModelDefinition } from '../read-store.js';
import { SqliteReadStore } from './sqlite-read-store.js';

describe('SQLite with values that documents share', () => {
  const indexes = { by_owner: ['owner', 'number'] };
  const definition = {
    name: 'owned',
    version: 1,
    collections: { things: { indexes, shared: ['owner'] } },
  };
  const owned = (key: string, owner: unknown, more: object = {}): DocumentWrite => ({
    collection: 'things',
    key,
    document: { owner, number: 1, ...more },
    position: '1',
    isNew: false,
  });
  let directory: ReturnType<typeof makeTempDirectory>;
  let store: SqliteReadStore;

  beforeEach(() => {
    directory = makeTempDirectory();
    store = new SqliteReadStore(directory.path);
  });

  afterEach(async () => {
    await store.close();
    directory.remove();
  });

  async function reopened(later: ReadModelDefinition = definition): Promise<ReadModel> {
    await store.close();
    store = new SqliteReadStore(directory.path);
    return store.readModel(later);
  }

  const ofOwner = (model: ReadModel, owner: string | number): Promise<Document[]> =>
    model.find('things', { index: 'by_owner', equals: { owner }, limit: 9 });

  it('keeps each once, and gives documents with theirs, text and number apart', async () => {
    const model = store.readModel(definition);
    const owners = ['ada', '1', 1, 'ada', null, undefined];
    const written = owners.map((owner, index) => owned(`${index}`, owner));
    await model.write(written, START, '1');
    const read = await reopened();
    const scanned = await read.scan('things', '', 9);
    expect(scanned.map(({ document }) => document.owner)).toEqual(owners);
    expect(await read.get('things', '2')).toMatchObject({ document: { owner: 1, number: 1 } });
    expect(await ofOwner(read, 'ada')).toEqual(Array(2).fill({ owner: 'ada', number: 1 }));
    expect(await ofOwner(read, 1)).toEqual([{ owner: 1, number: 1 }]);
    expect(await ofOwner(read, '1')).toEqual([{ owner: '1', number: 1 }]);
    expect(await ofOwner(read, 'nobody')).toEqual([]);
    const file = new Database(join(directory.path, 'owned.1.db'), { readonly: true });
    expect(file.prepare('SELECT value FROM dictionary').pluck().all()).toEqual(['ada', '1', 1]);
    file.close();
  });

  it('finds each of more than it has in memory', async () => {
    const model = store.readModel(definition);
    const many = Array.from({ length: 5_000 }, (_, index) => `owner-${index}`);
    await model.write(
      many.map((owner) => owned(owner, owner)),
      START,
      '1',
    );
    const read = await reopened();
    for (const owner of many) expect(await ofOwner(read, owner)).toEqual([{ owner, number: 1 }]);
  });

  it('knows nothing of those of a batch that was not written', async () => {
    const model = store.readModel(definition);
    const broken = owned('b', 'bob', { number: 1n });
    await expect(model.write([owned('a', 'ada'), broken], START, '1')).rejects.toThrow();
    await model.write([owned('e', 'eve'), owned('a', 'ada')], START, '1');
    const read = await reopened();
    expect(await read.get('things', 'a')).toMatchObject({ document: { owner: 'ada' } });
    expect(await read.get('things', 'e')).toMatchObject({ document: { owner: 'eve' } });
  });

  it('shows a number that stands for nothing as a difference', async () => {
    const model = store.readModel(definition);
    await model.write([owned('a', 'ada')], START, '1');
    const hand = new Database(join(directory.path, 'owned.1.db'));
    hand.exec('UPDATE things SET owner = 7');
    hand.close();
    const [scanned] = await model.scan('things', '', 9);
    expect(scanned?.document).not.toMatchObject({ owner: 'ada' });
  });

  it('refuses a range without one, which it could not put in order', async () => {
    const range = { index: 'by_owner', equals: {}, limit: 9 };
    await expect(store.readModel(definition).find('things', range)).rejects.toThrow('owner');
  });

  it('never continues what was kept without sharing them', async () => {
    const model = store.readModel({ ...definition, collections: { things: { indexes } } });
    await model.write([owned('a', 'ada')], START, '1');
    const later = await reopened({ ...definition, version: 2, continuesFrom: 1 });
    expect(await later.checkpoint()).toBe(START);
  });
});
