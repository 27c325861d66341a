import { describe, expect, it } from '@jest/globals';
import { DocumentTable, recordedInOrder } from '../../../test/support/specs/document-table.js';
import { tallied, tallies, tally, type TallyEvent } from '../../../test/support/specs/tally.js';
import type { Document } from '../read-store/read-store.js';
import { fold } from './fold.js';
import { KnownDocuments } from './known-documents.js';
import type { Documents, Projection } from './projection.js';

const EVENTS = recordedInOrder([tally('a'), tally('b'), tally('a', 2)]);

interface Collections {
  readonly names: {
    readonly name?: string;
    readonly sum?: number;
    readonly next?: string;
    readonly isEnd?: boolean;
  };
}

/** A projection whose events say what to do. */
function folding(
  evolve: (documents: Documents<Collections>, name: string) => void,
): Projection<TallyEvent, Collections> {
  return {
    name: 'test',
    version: 1,
    events: [tallied],
    collections: { names: { indexes: {} } },
    evolve: (documents, { data }) => evolve(documents, data.name),
  };
}

/** A table that counts the reads. */
class CountingTable extends DocumentTable {
  readonly asked: string[][] = [];

  override getMany(collection: string, keys: readonly string[]): Promise<Map<string, Document>> {
    this.asked.push([collection, ...keys]);
    return super.getMany(collection, keys);
  }
}

describe('a fold', () => {
  it('loads together, once for a batch, all documents that its events read', async () => {
    const table = new CountingTable();
    const changes = await fold(tallies, EVENTS, table);
    expect(table.asked).toEqual([
      ['names', 'a', 'b'],
      ['totals', 'all'],
    ]);
    expect(changes).toEqual([
      { collection: 'names', key: 'a', document: { sum: 3 }, isNew: true },
      { collection: 'names', key: 'b', document: { sum: 1 }, isNew: true },
      { collection: 'totals', key: 'all', document: { sum: 4 }, isNew: true },
    ]);
  });

  it('loads nothing that is known already', async () => {
    const table = new CountingTable();
    const known = new KnownDocuments();
    table.keep(await fold(tallies, EVENTS, table, known));
    table.asked.length = 0;
    await fold(tallies, recordedInOrder([tally('a'), tally('c')]), table, known);
    expect(table.asked).toEqual([['names', 'c']]);
  });

  it('goes on from the documents that are stored', async () => {
    const table = new DocumentTable();
    table.keep(await fold(tallies, EVENTS, table));
    const changes = await fold(tallies, recordedInOrder([tally('a', 10)]), table);
    expect(changes).toEqual([
      { collection: 'names', key: 'a', document: { sum: 13 }, isNew: false },
      { collection: 'totals', key: 'all', document: { sum: 14 }, isNew: false },
    ]);
  });

  it('finds out step by step what follows from what was read', async () => {
    const chain = folding((documents, name) => {
      let next: string | undefined = name;
      while (next !== undefined) {
        const link: Collections['names'] | undefined = documents.get('names', next);
        if (!link) documents.set('names', next, { isEnd: true });
        next = link?.next;
      }
    });
    const table = new DocumentTable();
    const links = ['a', 'b', 'c', 'd'].map((key, index, all) => ({
      collection: 'names',
      key,
      document: { next: all[index + 1] ?? 'end' },
      isNew: true,
    }));
    table.keep(links);
    const changes = await fold(chain, recordedInOrder([tally('a')]), table);
    expect(changes).toEqual([
      { collection: 'names', key: 'end', document: { isEnd: true }, isNew: true },
    ]);
  });

  it('passes over the errors of a run in which documents were missing', async () => {
    const strict = folding((documents, name) => {
      const before = documents.get('names', name);
      if (!before) throw new Error(`${name} is missing`);
      documents.set('names', name, { sum: (before.sum ?? 0) + 1 });
    });
    const table = new DocumentTable();
    table.keep([{ collection: 'names', key: 'a', document: { sum: 1 }, isNew: true }]);
    const [event] = EVENTS;
    const changes = await fold(strict, event ? [event] : [], table);
    expect(changes).toMatchObject([{ document: { sum: 2 } }]);
    await expect(fold(strict, EVENTS, table)).rejects.toThrow('b is missing');
  });

  it('gives up on a projection that asks for another document each time', async () => {
    let asked = 0;
    const endless = folding((documents) => {
      asked += 1;
      documents.get('names', String(asked));
    });
    await expect(fold(endless, EVENTS, new DocumentTable())).rejects.toThrow('each time');
  });

  it('looks up no document that an event makes, and writes none that goes in the same batch', async () => {
    const created = folding((documents, name) => {
      if (documents.get('names', 'a') && name === 'a') documents.remove('names', 'a');
      else documents.create('names', name, { name });
    });
    const table = new CountingTable();
    const changes = await fold(created, EVENTS, table);
    expect(table.asked).toEqual([['names', 'a']]);
    expect(changes).toEqual([
      { collection: 'names', key: 'b', document: { name: 'b' }, isNew: true },
    ]);
  });

  it('reads every document that it replaces or removes', async () => {
    const blind = folding((documents, name) => {
      if (name === 'a') documents.set('names', name, { name });
      else documents.remove('names', name);
    });
    const table = new CountingTable();
    table.keep([{ collection: 'names', key: 'b', document: {}, isNew: true }]);
    const changes = await fold(blind, EVENTS, table);
    expect(table.asked).toEqual([['names', 'a', 'b']]);
    expect(changes).toEqual([
      { collection: 'names', key: 'a', document: { name: 'a' }, isNew: true },
      { collection: 'names', key: 'b', document: null, isNew: false },
    ]);
  });
});
