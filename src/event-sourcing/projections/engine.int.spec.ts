import { closeSync, openSync, readdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../../test/support/harness/eventually.js';
import { counting, logWith } from '../../../test/support/specs/log-with.js';
import { maintenanceHere } from '../../../test/support/specs/read-models-here.js';
import { Replicas, TALLIES } from '../../../test/support/specs/replicas.js';
import { tallied, tallies, type TallyEvent } from '../../../test/support/specs/tally.js';
import type { EventBatch, EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { Unavailable, Unreadable } from '../../kernel/errors.js';
import { START } from '../../kernel/position.js';
import { openDatabase } from '../sqlite/open-database.js';
import { Generations, namespaceOf } from './generations.js';
import type { Projection } from './projection.js';
import { ReadModel } from './read-model.js';
import { readSideOf } from './read-side.js';

const others: Projection<TallyEvent, { other_totals: { readonly sum: number } }> = {
  name: 'others',
  version: 1,
  events: [tallied],
  collections: { other_totals: { indexes: {} } },
  evolve: (documents, { data: { amount } }) => {
    const { sum } = documents.get('other_totals', 'all') ?? { sum: 0 };
    documents.set('other_totals', 'all', { sum: sum + amount });
  },
};
const BOTH = readSideOf('tallies', [tallies, others]);

/** Overwrites the first page of a table. */
function damagePageOf(table: string, file: string): void {
  const db = openDatabase(file, {});
  const page = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table);
  const size = Number(db.prepare('PRAGMA page_size').pluck().get());
  db.close();
  const opened = openSync(file, 'r+');
  writeSync(opened, Buffer.alloc(size, 0x5a), 0, size, (Number(page) - 1) * size);
  closeSync(opened);
}

describe('the engine of projections', () => {
  let replicas: Replicas;

  beforeEach(() => {
    replicas = new Replicas();
  });

  afterEach(async () => {
    await replicas.dispose();
  });

  it('feeds all projections by one subscription, and decodes each event once', async () => {
    const counts = { follow: 0 };
    const registry = new EventRegistry([tallied]);
    const decode = jest.spyOn(registry, 'decode');
    await replicas.tally('a');
    const log = counting(counts);
    const replica = replicas.start({ readSide: BOTH, registry, log });
    expect(await replica.total()).toBe(1);
    for (let count = 2; count <= 5; count++) {
      await replicas.tally('a');
      expect(await replica.total()).toBe(count);
    }
    const model = new ReadModel(others, replica.models);
    const other = await model.readNow(null, (view) => view.get('other_totals', 'all'));
    expect(other).toEqual({ sum: 5 });
    expect(decode).toHaveBeenCalledTimes(5);
    expect(counts.follow).toBe(1);
  });

  it('goes on from its checkpoint after a restart, and folds each event once', async () => {
    await replicas.tally('a', 1);
    const first = replicas.start();
    expect(await first.total()).toBe(1);
    await first.stop();
    await replicas.tally('a', 2);
    const counts = { follow: 0 };
    const second = replicas.start({ log: counting(counts) });
    expect(await second.total()).toBe(3);
    expect(second.models.state.eventsFolded).toBe(1);
  });

  it('is stuck at an event that a fold cannot take, and goes on once it can', async () => {
    let isBroken = false;
    const fragile: typeof others = {
      ...others,
      evolve: (documents, event) => {
        if (isBroken) throw new Error('broken');
        others.evolve(documents, event);
      },
    };
    const replica = replicas.start({ readSide: readSideOf('tallies', [fragile, tallies]) });
    await replica.models.caughtUp;
    isBroken = true;
    await replicas.tally('a', 2);
    await eventually('it is stuck', () => replica.models.state.phase === 'stuck');
    expect(replica.models.state.fault).toMatchObject({ message: 'broken' });
    isBroken = false;
    expect(await replica.total()).toBe(2);
    await eventually('it is live', () => replica.models.state.phase === 'live');
    expect(replica.news.map(({ kind }) => kind)).toEqual(['stuck', 'goes-on']);
  });

  it('may be stopped in its first catch-up, which is no fault', async () => {
    await replicas.tally('a', 1);
    const replica = replicas.replica();
    const namespace = replica.store.namespace.bind(replica.store);
    let isSettling = false;
    jest.spyOn(replica.store, 'namespace').mockImplementation((...args) => {
      const opened = namespace(...args);
      jest.spyOn(opened, 'settle').mockImplementation(async (signal) => {
        isSettling = true;
        await eventually('the stop', () => signal?.aborted);
        signal?.throwIfAborted();
      });
      return opened;
    });
    replica.models.start();
    await eventually('it settles', () => isSettling);
    await replica.stop();
    expect(replica.news).toEqual([]);
    expect(await replicas.start().total()).toBe(1);
  });

  it('parks the account of an event that cannot be read, and goes on with all others', async () => {
    await replicas.tally('a', 1, 'account-1');
    const replica = replicas.start();
    await replica.total();
    const id = await replicas.tally('a', 'no number', 'account-1');
    await replicas.tally('a', 100, 'account-1');
    await replicas.tally('b', 2, 'account-2');
    expect(await replica.total()).toBe(3);
    expect(replica.models.state.phase).toBe('live');
    expect(replica.models.state.parked).toBe(1);
    expect(replica.news).toEqual([
      {
        kind: 'degraded',
        problem: 'they are stopped for 1 account, because an event cannot be read',
      },
    ]);
    const model = new ReadModel(tallies, replica.models);
    const sumOf = async (account: string, name: string): Promise<unknown> =>
      (await model.read(account, (view) => view.get('names', name))).found;
    await expect(sumOf('account-1', 'a')).rejects.toThrow(Unreadable);
    await expect(sumOf('account-1', 'a')).rejects.toThrow(id);
    expect(await sumOf('account-2', 'b')).toEqual({ sum: 2 });
    await replica.stop();
    const next = replicas.start();
    await replicas.tally('a', 100, 'account-1');
    await replicas.tally('b', 2, 'account-2');
    expect(await next.total()).toBe(5);
    expect(next.models.state.parked).toBe(1);
  });

  it('fills a generation anew when what served is no database', async () => {
    await replicas.tally('a', 4);
    const first = replicas.start();
    await first.total();
    await first.stop();
    const file = `${namespaceOf(TALLIES, 1)}.db`;
    writeFileSync(join(replicas.readModels, file), 'damaged '.repeat(1_000));
    const second = replicas.start();
    expect(await second.total()).toBe(4);
    expect(readdirSync(replicas.readModels)).toContain(`${namespaceOf(TALLIES, 2)}.db`);
  });

  it('is stuck at a damaged page, refuses to read it and says what to do, until it is rebuilt', async () => {
    await replicas.tally('a', 4);
    const first = replicas.start();
    await first.total();
    await first.stop();
    damagePageOf('names', join(replicas.readModels, `${namespaceOf(TALLIES, 1)}.db`));
    const second = replicas.start();
    await second.models.caughtUp;
    const cure = /^read store unavailable: .* is damaged .* rebuild tallies, or/;
    const model = new ReadModel(tallies, second.models);
    const reading = model.readNow(null, (view) => view.get('names', 'a'));
    await expect(reading).rejects.toThrow(Unavailable);
    await expect(reading).rejects.toThrow(cure);
    expect(await second.total()).toBe(4);
    await replicas.tally('a', 1);
    await eventually('it is stuck', () => second.models.state.phase === 'stuck');
    expect(second.models.state.fault).toMatchObject({ message: expect.stringMatching(cure) });
    const { log, store } = replicas.replica();
    const registry = new EventRegistry([tallied]);
    await maintenanceHere(TALLIES, { log, registry, store }).rebuild();
    expect(await second.total()).toBe(5);
    await eventually('it is live', () => second.models.state.phase === 'live');
    expect(second.news.map(({ kind }) => kind)).toEqual(['stuck', 'switched', 'goes-on']);
  });

  it('fills a generation anew after its files were removed under it', async () => {
    await replicas.tally('a', 4);
    const replica = replicas.start();
    await replica.total();
    for (const file of readdirSync(replicas.readModels))
      if (file.includes('.db')) rmSync(join(replicas.readModels, file));
    await replicas.tally('a', 1);
    expect(await eventually('the sum', async () => (await replica.total()) === 5)).toBe(true);
  });

  it('gives a subscription up that is silent while the log goes on, says so, and begins anew', async () => {
    let isSilent = false;
    const silent = async function* (batches: AsyncIterable<EventBatch>): AsyncIterable<EventBatch> {
      for await (const batch of batches) {
        if (isSilent) await new Promise(() => undefined);
        yield batch;
      }
    };
    const log = (real: EventLog): EventLog =>
      logWith(real, { follow: (...args) => silent(real.follow(...args)) });
    const replica = replicas.start({ log });
    await replica.models.caughtUp;
    isSilent = true;
    await replicas.tally('a', 3);
    const { models } = replica;
    await eventually('it is stalled', () => models.state.phase === 'stalled', 12_000);
    expect(replica.news).toMatchObject([{ kind: 'stalled' }]);
    isSilent = false;
    expect(await replica.total()).toBe(3);
    await eventually('it is live', () => models.state.phase === 'live');
  }, 30_000);

  it('folds another version into generations of its own, beside those of the one before', async () => {
    await replicas.tally('a', 4);
    const first = replicas.start();
    await first.total();
    const newer = readSideOf('tallies', [{ ...tallies, version: 2 }]);
    const second = replicas.start({ readSide: newer });
    await replicas.tally('a', 1);
    expect(await second.total()).toBe(5);
    expect(await first.total()).toBe(5);
    const files = readdirSync(replicas.readModels);
    expect(files).toContain(`${namespaceOf(TALLIES, 1)}.db`);
    expect(files).toContain(`${namespaceOf(newer, 1)}.db`);
  });

  it('begins anew what somebody began to fill from another log', async () => {
    await replicas.tally('a', 4);
    const replica = replicas.replica();
    const begun = new Generations(TALLIES, replica.store).open(1);
    await begun.write(START, '9', []);
    await begun.close();
    replica.models.start();
    await eventually('it is live', () => replica.models.state.phase === 'live');
    expect(await replica.total()).toBe(4);
  });

  it('does not fold on what was folded from another log', async () => {
    await replicas.tally('a', 4);
    const first = replicas.start();
    await first.total();
    await first.stop();
    const other = { id: 'another', position: '0', stream: 'a' };
    const second = replicas.start({
      log: (log) => logWith(log, { identity: async () => other }),
    });
    await eventually('it is stuck', () => second.models.state.phase === 'stuck');
    expect(second.models.state.fault).toMatchObject({ name: 'UnheldPositionError' });
  });
});
