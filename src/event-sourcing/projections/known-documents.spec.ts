import { describe, expect, it } from '@jest/globals';
import { KnownDocuments } from './known-documents.js';

const MEGABYTE = 1_000_000;
const large = (letter: string) => ({ text: letter.repeat(MEGABYTE) });
const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`);

describe('the documents that are known', () => {
  it('are all that the batch under way has read, and at most 8 MB of a collection after it', () => {
    const known = new KnownDocuments();
    for (const key of keys) known.add('things', key, large('a'));
    expect(keys.filter((key) => known.get('things', key) === undefined)).toEqual([]);
    known.endBatch();
    expect(keys.filter((key) => known.get('things', key))).toEqual(keys.slice(-7));
  });

  it('are as the last batch left them, whether that read or knew them', () => {
    const known = new KnownDocuments();
    known.add('things', 'a', null);
    for (const letter of ['b', 'c']) {
      const document = large(letter);
      known.change([{ collection: 'things', key: 'a', document, isNew: false }], [MEGABYTE]);
      known.endBatch();
      expect(known.get('things', 'a')).toBe(document);
    }
  });

  it('are those that no batch read only until the next batch is written', () => {
    const known = new KnownDocuments();
    const change = { collection: 'things', key: 'a', document: {}, isNew: true };
    known.change([change], [1]);
    known.endBatch();
    expect(known.get('things', 'a')).toBe(change.document);
    known.change([], []);
    expect(known.get('things', 'a')).toBeUndefined();
  });

  it('are counted by their bytes again whenever they change', () => {
    const known = new KnownDocuments();
    for (const key of keys) known.add('things', key, null);
    known.endBatch();
    const changes = keys.map((key) => ({
      collection: 'things',
      key,
      document: large('a'),
      isNew: false,
    }));
    known.change(
      changes,
      changes.map(() => MEGABYTE),
    );
    known.change([], []);
    expect(keys.filter((key) => known.get('things', key))).toHaveLength(8);
  });
});
