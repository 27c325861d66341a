import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoDbSimulator } from '../../../../test/support/backends/mongodb-simulator/mongodb-simulator.js';
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
const WRITES = new Set(['insert', 'update', 'delete', 'createIndexes', 'commitTransaction']);

/** Whether a write makes a session the writer of a namespace. */
function isTaking({ updates }: Readonly<Record<string, unknown>>): boolean {
  return JSON.stringify(updates ?? '').includes('"$set":{"writer"');
}

describe('a URI that asks for less than the read store needs', () => {
  let simulator: MongoDbSimulator;
  let store: MongoDbReadStore;

  beforeEach(async () => {
    simulator = await MongoDbSimulator.open();
    store = new MongoDbReadStore([simulator.uriOfTheSet('keyledger'), ...WEAK].join('&'));
  });

  afterEach(async () => {
    await store.close();
    simulator.close();
  });

  it('weakens no read and no write: each is of the primary, of a majority and in its journal', async () => {
    const namespace = numbered(store);
    await writeBatches(namespace, 3);
    await everythingIn(namespace);
    await store.namespaces();
    await store.lease('a lease', 'a holder', '', 1_000);
    await store.lease('a lease', 'a holder', '', 1_000);
    await store.release('a lease', 'a holder');
    const reads = simulator.seen.filter(({ name }) => name === 'find');
    const writes = simulator.seen.filter(({ name }) => WRITES.has(name));
    expect(reads.length).toBeGreaterThan(10);
    expect(writes.length).toBeGreaterThan(10);
    for (const { body } of reads) {
      expect(['majority', 'snapshot']).toContain((body.readConcern as { level: string }).level);
      expect(body).not.toHaveProperty('$readPreference');
    }
    // A transaction is written as its commit says. A new writer need not wait for a majority.
    const alone = writes.filter(({ body }) => body.autocommit !== false && !isTaking(body));
    const commits = writes.filter(({ name }) => name === 'commitTransaction');
    expect(alone.length).toBeGreaterThan(5);
    expect(commits.length).toBe(3);
    for (const { body } of [...alone, ...commits]) {
      expect(body).toMatchObject({ writeConcern: { w: 'majority', j: true } });
    }
    const numberedWrites = writes.filter(({ body }) => body.txnNumber !== undefined);
    expect(numberedWrites.length).toBeGreaterThan(10);
  });

  it.each([
    ['colour=blue&tls=true&tone=1', 'colour, tone'],
    ['authMechanism=NONE', 'authMechanism'],
    ['tls=perhaps', 'tls'],
  ])('says which options the driver refuses: ?%s', (options, wrong) => {
    const open = (): unknown => new MongoDbReadStore(`mongodb://u:secret@host/?${options}`);
    expect(open).toThrow(new RegExp(`database name of MONGODB_URI: see ${wrong}$`));
  });

  it('says nothing else of a URI that the driver refuses', () => {
    expect(() => new MongoDbReadStore('mongodb://user:secret@/')).toThrow(/MONGODB_URI$/);
    expect(() => new MongoDbReadStore('mongodb://u:1?secret=word@host/')).toThrow(/MONGODB_URI$/);
  });
});
