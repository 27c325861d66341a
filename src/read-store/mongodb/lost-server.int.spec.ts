import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Collection, MongoClient } from 'mongodb';
import { describeOnMongoDb, itOnOwnMongoDb } from '../../../test/backends/on-mongodb.js';
import { eventually } from '../../../test/harness/eventually.js';
import {
  everythingIn,
  numbered,
  positionOf,
  writeBatches,
  writesOf,
} from '../../../test/specs/numbered-batches.js';
import { Unavailable } from '../../kernel/errors.js';
import { START } from '../../kernel/position.js';
import type { ReadModel } from '../read-store.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

/** What a request may wait for before it is refused, and how soon all is well after the server came back. */
const REFUSED_WITHIN_MS = 8_500;
const HEALED_WITHIN_MS = 10_000;
/** What one call takes at most that the driver is never done with. */
const GIVEN_UP_WITHIN_MS = 12_000;

describeOnMongoDb('a read store whose server is lost', (server) => {
  let uri: string;
  let store: MongoDbReadStore;
  let model: ReadModel;

  beforeEach(async () => {
    uri = server().freshUri();
    store = new MongoDbReadStore(uri);
    model = store.readModel(numbered);
    await writeBatches(model, 2);
  });

  afterEach(async () => {
    await store.close();
  });

  /** Everything that can be asked, at once; each must be refused in time. */
  async function expectRefusals(): Promise<void> {
    const began = performance.now();
    const asked = [
      () => store.ping(),
      () => model.checkpoint(),
      () => model.get('totals', 'all'),
      () => everythingIn(model),
      () => model.write(writesOf(3), positionOf(2), positionOf(3)),
      () => model.write([], positionOf(2), positionOf(3)),
      () => model.takeTurn(),
      () => model.isSuperseded(),
      () => store.isFilling(numbered),
      () => store.fill(numbered),
      () => store.windows.use('an id', { count: 1, seconds: 60 }, new Date()),
    ].map((ask) => ask().catch((error: unknown) => error));
    for (const refused of await Promise.all(asked)) expect(refused).toBeInstanceOf(Unavailable);
    expect(performance.now() - began).toBeLessThan(REFUSED_WITHIN_MS);
  }

  function healed(lost: ReadModel): Promise<true> {
    const reads = (): Promise<boolean> =>
      lost.checkpoint().then(
        () => true,
        () => false,
      );
    return eventually('it reads again', reads, HEALED_WITHIN_MS);
  }

  async function expectHealed(): Promise<void> {
    await healed(model);
    // What was refused may have been done all the same, but never in part.
    const done = Number(await model.checkpoint());
    expect([2, 3]).toContain(done);
    await writeBatches(model, 4);
    expect(await everythingIn(model)).toMatchObject({ total: { document: { batches: 4 } } });
  }

  itOnOwnMongoDb(
    'refuses whatever is asked within seconds while it is gone, and heals by itself',
    server,
    async (ours) => {
      await ours.kill();
      await expectRefusals();
      await ours.restart();
      await expectHealed();
    },
  );

  itOnOwnMongoDb(
    'refuses whatever is asked within seconds while it is frozen, and heals by itself',
    server,
    async (ours) => {
      await ours.freeze();
      try {
        await expectRefusals();
      } finally {
        ours.thaw();
      }
      await expectHealed();
    },
  );

  it('gives up a batch as soon as any call, when one of its calls never ends', async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    jest.spyOn(Collection.prototype, 'bulkWrite').mockImplementationOnce(never);
    const began = performance.now();
    const next = model.write(writesOf(3), positionOf(2), positionOf(3));
    await expect(next).rejects.toBeInstanceOf(Unavailable);
    expect(performance.now() - began).toBeLessThan(GIVEN_UP_WITHIN_MS);
    await healed(model);
    await writeBatches(model, 3);
    expect(await everythingIn(model)).toMatchObject({ total: { document: { batches: 3 } } });
  });

  it('opens at the next attempt when a call of the first one never ends', async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    jest.spyOn(Collection.prototype, 'createIndex').mockImplementationOnce(never);
    const other = new MongoDbReadStore(server().freshUri());
    try {
      const opened = other.readModel(numbered);
      await expect(opened.checkpoint()).rejects.toBeInstanceOf(Unavailable);
      await healed(opened);
    } finally {
      await other.close();
    }
  });

  itOnOwnMongoDb('opens when the server comes late', server, async (ours) => {
    await ours.kill();
    const late = new MongoDbReadStore(server().freshUri());
    try {
      const opened = late.readModel(numbered);
      await expect(opened.checkpoint()).rejects.toBeInstanceOf(Unavailable);
      await ours.restart();
      await healed(opened);
      await writeBatches(opened, 1);
      expect(await opened.checkpoint()).toBe(positionOf(1));
    } finally {
      await late.close();
    }
  });

  itOnOwnMongoDb(
    'gives nothing from an empty server in its place to a read that began before',
    server,
    async (ours) => {
      const read = model.snapshot(async (view) => {
        await ours.kill();
        await ours.restart();
        const emptying = await MongoClient.connect(uri);
        await emptying.db().dropDatabase();
        await emptying.close();
        return (await view.get('totals', 'all')) ?? 'nothing';
      });
      await expect(read).rejects.toBeInstanceOf(Unavailable);
    },
  );

  it('answers from an empty database in its place once it was said how far that is, not before', async () => {
    const client = new MongoClient(uri);
    try {
      await client.db().dropDatabase();
      // The first finds out, the others open what there is now.
      for (const _ of [1, 2, 3]) {
        await expect(model.get('totals', 'all')).rejects.toBeInstanceOf(Unavailable);
        await expect(everythingIn(model)).rejects.toBeInstanceOf(Unavailable);
      }
      expect(await model.checkpoint()).toBe(START);
      expect(await everythingIn(model)).toMatchObject({ checkpoint: START, total: undefined });
    } finally {
      await client.close();
    }
  });
});
