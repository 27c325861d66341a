import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoDbDouble } from '../../../../test/support/backends/mongodb-double.js';
import {
  everythingIn,
  numbered,
  writeBatches,
} from '../../../../test/support/specs/numbered-batches.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

const WEAK = [
  'readConcernLevel=local',
  'journal=false',
  'w=1',
  'readPreference=secondary',
  'retryWrites=false',
  'retryReads=false',
];
const WRITES = new Set(['insert', 'update', 'delete', 'createIndexes']);

describe('a URI that asks for less than the read store needs', () => {
  let double: MongoDbDouble;
  let store: MongoDbReadStore;

  beforeEach(async () => {
    double = await MongoDbDouble.open();
    store = new MongoDbReadStore([double.uriOfTheSet('keyledger'), ...WEAK].join('&'));
  });

  afterEach(async () => {
    await store.close();
    double.close();
  });

  it('weakens no read and no write: each is of the primary, of a majority and in its journal', async () => {
    const namespace = numbered(store);
    await writeBatches(namespace, 3);
    await everythingIn(namespace);
    await store.namespaces();
    await store.lease('a lease', 'a holder', '', 1_000);
    await store.lease('a lease', 'a holder', '', 1_000);
    await store.release('a lease', 'a holder');
    const reads = double.seen.filter(({ name }) => name === 'find');
    const writes = double.seen.filter(({ name }) => WRITES.has(name));
    expect(reads.length).toBeGreaterThan(10);
    expect(writes.length).toBeGreaterThan(10);
    for (const { body } of reads) {
      expect(body).toMatchObject({ readConcern: { level: 'majority' } });
      expect(body).not.toHaveProperty('$readPreference');
    }
    for (const { body } of writes) {
      expect(body).toMatchObject({ writeConcern: { w: 'majority', j: true } });
    }
    const numberedWrites = writes.filter(({ body }) => body.txnNumber !== undefined);
    expect(numberedWrites.length).toBeGreaterThan(10);
  });

  it('says nothing of a URI that the driver refuses', () => {
    expect(() => new MongoDbReadStore('mongodb://user:secret@/')).toThrow(/MONGODB_URI$/);
    expect(() => new MongoDbReadStore('mongodb://host/?secret=word')).toThrow(/MONGODB_URI$/);
  });
});
