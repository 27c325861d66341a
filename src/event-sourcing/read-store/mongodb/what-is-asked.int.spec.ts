import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { CommandGate } from '../../../../test/support/backends/command-gate.js';
import { FaultyGate } from '../../../../test/support/backends/faulty-gate.js';
import { describeOnMongoDb } from '../../../../test/support/backends/on-mongodb.js';
import { MongoDbSimulator } from '../../../../test/support/backends/mongodb-simulator/mongodb-simulator.js';
import type { Command } from '../../../../test/support/backends/wire-messages.js';
import { place, put, thing, things } from '../../../../test/contracts/opened-store.js';
import { eventually } from '../../../../test/support/harness/eventually.js';
import type { Change, Namespace } from '../read-store.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

const DOCUMENTS = 200;
const PAGE = 50;
const PAGE_OF_ADA = { index: 'by_number', equals: { owner: 'ada' }, from: 20, limit: PAGE };

const isOfDocuments = ({ collection }: Command): boolean =>
  collection?.startsWith('documents.') === true;

describeOnMongoDb('what the read store asks MongoDB for', (server) => {
  let gate: CommandGate;
  let store: MongoDbReadStore;
  let namespace: Namespace;
  const others: MongoDbReadStore[] = [];

  beforeEach(async () => {
    gate = await CommandGate.open(server().freshUri());
    store = new MongoDbReadStore(gate.uri);
    namespace = things(store);
    await put(namespace, ...all('ada', 0));
  });

  afterEach(async () => {
    for (const one of [store, ...others.splice(0)]) await one.close();
    gate.close();
  });

  const all = (owner: string, sum: number): Change[] =>
    Array.from({ length: DOCUMENTS }, (_, number) => thing(owner, number, { sum }));

  /** Gives the number of documents that the server sends for a page. */
  async function documentsForAPage(): Promise<number> {
    gate.given.length = 0;
    const { documents } = await namespace.read((view) => view.range('things', PAGE_OF_ADA));
    expect(documents).toHaveLength(PAGE);
    const given = gate.given.filter(({ command }) => isOfDocuments(command));
    return given.reduce((sum, { rows }) => sum + rows, 0);
  }

  it('is of a page at rest each document once', async () => {
    expect(await documentsForAPage()).toBe(PAGE);
  });

  it('is of a page each document once, however often documents changed', async () => {
    for (let sum = 1; sum <= 3; sum++) await put(namespace, ...all('ada', sum));
    expect(await documentsForAPage()).toBe(PAGE);
  });

  it('is of a page its own range, while a batch of other documents is under way', async () => {
    const other = new MongoDbReadStore(gate.uri);
    others.push(other);
    const isCommit = ({ name }: Command): boolean => name === 'commitTransaction';
    const held = gate.hold(isCommit);
    const written = put(things(other), ...all('bob', 0), ...all('ada', 1));
    const { release } = await held;
    expect(await documentsForAPage()).toBe(PAGE);
    release();
    await written;
    expect(await documentsForAPage()).toBe(PAGE);
  });

  it('is one question for all namespaces and their collections, and one each time for a lease', async () => {
    await put(things(store, 'others.00000000.g1'), thing('ada', 0));
    const other = new MongoDbReadStore(gate.uri);
    others.push(other);
    await store.lease('things.00000000.fold', 'one', '1', 1_000);
    await other.ping();
    const asked = async (ask: () => Promise<unknown>): Promise<string[]> => {
      gate.seen.length = 0;
      await ask();
      return gate.seen.map(({ name }) => name).filter((name) => name !== 'hello');
    };
    await store.namespaces();
    expect(await asked(() => store.namespaces())).toEqual(['aggregate']);
    expect(await asked(() => store.lease('things.00000000.fold', 'one', '2', 1_000))).toEqual([
      'update',
    ]);
    expect(await asked(() => other.lease('things.00000000.fold', 'other', '1', 1_000))).toEqual([
      'find',
    ]);
  });

  it('is for a batch of thousands of documents a few calls of 1,000 writes', async () => {
    const many = Array.from({ length: 3_500 }, (_, number) => ({
      ...thing('bob', number),
      isNew: true,
    }));
    gate.seen.length = 0;
    await put(namespace, ...many);
    const inserts = gate.seen.filter((one) => one.name === 'insert' && isOfDocuments(one));
    const sizes = inserts.map(({ body }) => (body.documents as unknown[]).length);
    expect(sizes).toEqual([1_000, 1_000, 1_000, 500]);
  });

  it('is for a batch of two collections at most 8 commands, and for a page with its total 3', async () => {
    const batch = [thing('ada', 0, { sum: 1 }), { ...thing('ada', 1), collection: 'owners' }];
    await put(namespace, ...batch);
    const asked = async (ask: () => Promise<unknown>): Promise<number> => {
      gate.seen.length = 0;
      await ask();
      return gate.seen.length;
    };
    const from = await namespace.checkpoint();
    const next = (): Promise<void> => namespace.write(from, place(Number(from) + 1), batch);
    expect(await asked(next)).toBeLessThanOrEqual(8);
    const page = (): Promise<unknown> =>
      namespace.read(async (view) => [
        await view.get('owners', 'ada/1'),
        await view.range('things', PAGE_OF_ADA),
      ]);
    expect(await asked(page)).toBeLessThanOrEqual(3);
  });
});

describe('a reader who is 60 ms away from MongoDB', () => {
  const DISTANCE_MS = 60;
  const BATCH_EVERY_MS = 12;

  it('gets each page at once while batches come every 12 ms', async () => {
    const simulator = await MongoDbSimulator.open();
    const gate = await FaultyGate.open(simulator.uri('keyledger'));
    const here = new MongoDbReadStore(simulator.uri('keyledger'));
    const away = new MongoDbReadStore(gate.uri);
    try {
      const hot = [0, 1, 2].map((number) => (sum: number) => thing('ada', number, { sum }));
      await put(things(here), ...hot.map((at) => at(0)));
      const reading = new AbortController();
      const writing = (async () => {
        for (let sum = 1; !reading.signal.aborted; sum++) {
          const next = performance.now() + BATCH_EVERY_MS;
          await put(things(here), ...hot.map((at) => at(sum)));
          await eventually('the next batch is due', () => performance.now() >= next);
        }
      })();
      await things(away).checkpoint();
      gate.delayMs = DISTANCE_MS;
      let begun = 0;
      const range = { index: 'by_number', equals: { owner: 'ada' }, limit: 9 };
      for (let page = 0; page < 8; page++) {
        const { documents } = await things(away).read((view) => {
          begun += 1;
          return view.range('things', range);
        });
        expect(new Set(documents.map(({ sum }) => sum)).size).toBe(1);
      }
      expect(begun).toBe(8);
      reading.abort();
      await writing;
    } finally {
      await here.close();
      await away.close();
      gate.close();
      simulator.close();
    }
  });
});
