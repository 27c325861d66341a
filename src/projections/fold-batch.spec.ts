import { describe, expect, it } from '@jest/globals';
import { positionAt, projected, recordedInOrder } from '../../test/specs/projected.js';
import { tallies, tally } from '../../test/specs/tally.js';
import { foldBatch } from './fold-batch.js';
import type { Projection } from './projection.js';

const nothing = { getMany: () => Promise.resolve(new Map()) };

describe('folding a batch', () => {
  it('gives each document once, as the last event left it', async () => {
    const events = recordedInOrder([tally('a', 1), tally('b', 2), tally('a', 3)]);
    expect(await foldBatch(tallies, events, nothing)).toEqual([
      {
        collection: 'names',
        key: 'a',
        document: { sum: 4 },
        position: positionAt(3),
        isNew: false,
      },
      {
        collection: 'names',
        key: 'b',
        document: { sum: 2 },
        position: positionAt(2),
        isNew: false,
      },
      {
        collection: 'totals',
        key: 'all',
        document: { sum: 6 },
        position: positionAt(3),
        isNew: false,
      },
    ]);
  });

  it('gives the same document by document as all at once, and nothing the second time', async () => {
    expect(await projected(tallies, tally('a', 1), tally('b', 2))).toEqual({
      'names/a': { sum: 1 },
      'names/b': { sum: 2 },
      'totals/all': { sum: 3 },
    });
  });

  it('leaves alone a document that reflects an event already, and mends the one that does not', async () => {
    const [first] = recordedInOrder([tally('a', 1)]);
    if (!first) throw new Error('there is one event');
    const afterCrash = {
      getMany: (collection: string) =>
        Promise.resolve(
          collection === 'names'
            ? new Map([['a', { document: { sum: 1 }, position: first.position }]])
            : new Map(),
        ),
    };
    expect(await foldBatch(tallies, [first], afterCrash)).toEqual([
      {
        collection: 'totals',
        key: 'all',
        document: { sum: 1 },
        position: first.position,
        isNew: false,
      },
    ]);
  });

  it('does not let a projection change what it did not say it touches', async () => {
    const careless: Projection<ReturnType<typeof tally>> = { ...tallies, touches: () => [] };
    const folded = foldBatch(careless, recordedInOrder([tally('a')]), nothing);
    await expect(folded).rejects.toThrow('did not say that it touches names/a');
  });

  it('knows documents that only other documents name, also those of the same batch', async () => {
    const heirs: Projection<ReturnType<typeof tally>> = {
      ...tallies,
      // The name whose sum is 1 tells who is next; what is next gets a document too.
      touches: ({ data }) => [{ collection: 'names', key: data.name }],
      alsoTouches: (lookup, { data }) =>
        lookup('names', data.name) ? [{ collection: 'totals', key: `heir of ${data.name}` }] : [],
      evolve: (lookup, { data }) => {
        const known = lookup('names', data.name);
        const heir = `heir of ${data.name}`;
        return [
          { collection: 'names', key: data.name, document: { sum: 1 } },
          ...(known
            ? [
                {
                  collection: 'totals',
                  key: heir,
                  document: { was: lookup('totals', heir) ?? null },
                },
              ]
            : []),
        ];
      },
    };
    const events = recordedInOrder([tally('a'), tally('a'), tally('a')]);
    const writes = await foldBatch(heirs, events, nothing);
    expect(writes.map(({ key, document }) => [key, document])).toEqual([
      ['a', { sum: 1 }],
      ['heir of a', { was: { was: null } }],
    ]);
  });

  it('removes a document, which is gone for the events after it', async () => {
    const seen: unknown[] = [];
    const fleeting: Projection<ReturnType<typeof tally>> = {
      ...tallies,
      touches: ({ data }) => [{ collection: 'names', key: data.name }],
      evolve: (lookup, { data }) => {
        const before = lookup('names', data.name);
        seen.push(before);
        return [{ collection: 'names', key: data.name, document: before ? null : { sum: 1 } }];
      },
    };
    const events = recordedInOrder([tally('a'), tally('a'), tally('a'), tally('a')]);
    expect(await foldBatch(fleeting, events, nothing)).toMatchObject([
      { key: 'a', document: null },
    ]);
    expect(seen).toEqual([undefined, { sum: 1 }, undefined, { sum: 1 }]);
  });

  it('writes nothing of a document that came and went within the batch', async () => {
    const named = ({ data }: { data: { name: string } }) => [
      { collection: 'names', key: data.name },
    ];
    const mayflies: Projection<ReturnType<typeof tally>> = {
      ...tallies,
      touches: () => [],
      creates: named,
      evolve: (lookup, { data }) => [
        {
          collection: 'names',
          key: data.name,
          document: lookup('names', data.name) ? null : { sum: 1 },
        },
      ],
    };
    const events = recordedInOrder([tally('a'), tally('b'), tally('a')]);
    expect(await foldBatch(mayflies, events, nothing)).toMatchObject([{ key: 'b', isNew: true }]);
  });
});
