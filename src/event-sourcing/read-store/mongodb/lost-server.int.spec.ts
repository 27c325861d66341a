import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { Db, MongoClient } from 'mongodb';
import { describeOnMongoDb, itOnOwnMongoDb } from '../../../../test/support/backends/on-mongodb.js';
import { eventually } from '../../../../test/support/harness/eventually.js';
import {
  everythingIn,
  numbered,
  positionOf,
  writeBatches,
  writeNext,
} from '../../../../test/support/specs/numbered-batches.js';
import { Unavailable } from '../../../kernel/errors.js';
import { START } from '../../../kernel/position.js';
import type { Namespace } from '../read-store.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

/** The longest time of a refusal, and of the return to normal after the server is back. */
const REFUSED_WITHIN_MS = 8_500;
const HEALED_WITHIN_MS = 10_000;
/** The longest time of a call that the driver never ends. */
const GIVEN_UP_WITHIN_MS = 12_000;

describeOnMongoDb('a read store whose server is lost', (server) => {
  let uri: string;
  let store: MongoDbReadStore;
  let namespace: Namespace;

  beforeEach(async () => {
    uri = server().freshUri();
    store = new MongoDbReadStore(uri);
    namespace = numbered(store);
    await writeBatches(namespace, 2);
  });

  afterEach(async () => {
    await store.close();
  });

  /** All calls at once. Each must be refused in time. */
  async function expectRefusals(): Promise<void> {
    const began = performance.now();
    const asked = [
      () => store.ping(),
      () => namespace.checkpoint(),
      () => everythingIn(namespace),
      () => writeNext(namespace, 2),
      () => namespace.write(positionOf(2), positionOf(3), []),
      () => store.namespaces(),
      () => store.lease('a lease', 'a holder', '', 1_000),
      () => store.release('a lease', 'a holder'),
      () => store.drop('another.00000000.g1'),
    ].map((ask) => ask().catch((error: unknown) => error));
    for (const refused of await Promise.all(asked)) expect(refused).toBeInstanceOf(Unavailable);
    expect(performance.now() - began).toBeLessThan(REFUSED_WITHIN_MS);
  }

  function healed(lost: Namespace): Promise<true> {
    const reads = (): Promise<boolean> =>
      lost.checkpoint().then(
        () => true,
        () => false,
      );
    return eventually('it reads again', reads, HEALED_WITHIN_MS);
  }

  async function expectHealed(): Promise<void> {
    await healed(namespace);
    // A refused write may take effect all the same, but never in part.
    const done = Number(await namespace.checkpoint());
    expect([2, 3]).toContain(done);
    await writeBatches(namespace, 4);
    expect(await everythingIn(namespace)).toMatchObject({ total: { batches: 4 } });
  }

  itOnOwnMongoDb(
    'refuses every question within seconds while the server is gone, and heals by itself',
    server,
    async (ours) => {
      await ours.kill();
      await expectRefusals();
      await ours.restart();
      await expectHealed();
    },
  );

  itOnOwnMongoDb(
    'refuses every question within seconds while the server is frozen, and heals by itself',
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
    jest.spyOn(Db.prototype, 'command').mockImplementationOnce(never);
    const began = performance.now();
    const next = writeNext(namespace, 2);
    await expect(next).rejects.toBeInstanceOf(Unavailable);
    expect(performance.now() - began).toBeLessThan(GIVEN_UP_WITHIN_MS);
    await healed(namespace);
    await writeBatches(namespace, 3);
    expect(await everythingIn(namespace)).toMatchObject({ total: { batches: 3 } });
  });

  it('answers the next question when a call of the first one never ends', async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    jest.spyOn(Db.prototype, 'command').mockImplementationOnce(never);
    const other = new MongoDbReadStore(server().freshUri());
    try {
      const opened = numbered(other);
      await expect(opened.checkpoint()).rejects.toBeInstanceOf(Unavailable);
      await healed(opened);
    } finally {
      await other.close();
    }
  });

  itOnOwnMongoDb('answers when the server comes late', server, async (ours) => {
    await ours.kill();
    const late = new MongoDbReadStore(server().freshUri());
    try {
      const opened = numbered(late);
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
      const read = namespace.read(async (view) => {
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

  it('refuses reads of an empty database in its place until the checkpoint was asked for', async () => {
    const client = new MongoClient(uri);
    try {
      await client.db().dropDatabase();
      for (const _ of [1, 2, 3]) {
        await expect(namespace.read((view) => view.get('totals', 'all'))).rejects.toBeInstanceOf(
          Unavailable,
        );
        await expect(everythingIn(namespace)).rejects.toBeInstanceOf(Unavailable);
      }
      expect(await namespace.checkpoint()).toBe(START);
      expect(await everythingIn(namespace)).toMatchObject({ checkpoint: START, total: undefined });
    } finally {
      await client.close();
    }
  });
});
