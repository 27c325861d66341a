import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../../test/support/harness/eventually.js';
import { logWith } from '../../../test/support/specs/log-with.js';
import { type Replica, Replicas, TALLIES } from '../../../test/support/specs/replicas.js';
import { tallied, tallies, type TallyEvent } from '../../../test/support/specs/tally.js';
import type { EventBatch, EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { Unavailable, Unreadable } from '../../kernel/errors.js';
import { namespaceOf } from './generations.js';
import type { Projection } from './projection.js';
import { readSideOf } from './read-side.js';

const others: Projection<TallyEvent> = { ...tallies, name: 'others' };
const BOTH = readSideOf('tallies', [tallies, others]);

/** A log that counts its subscriptions. */
function counting(counts: { follow: number }): (log: EventLog) => EventLog {
  return (log) =>
    logWith(log, {
      follow: (...args) => {
        counts.follow += 1;
        return log.follow(...args);
      },
    });
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
    const other = await replica.models
      .of(others)
      .projected(null, (view) => view.get<{ sum: number }>('totals', 'all'));
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
    expect(second.models.eventsFolded).toBe(1);
  });

  it('subscribes to nothing where another replica has the lease, and follows its checkpoints', async () => {
    const leader = replicas.start();
    await leader.models.caughtUp;
    const counts = { follow: 0 };
    const follower = replicas.start({ log: counting(counts) });
    await replicas.tally('a', 7);
    expect(await follower.total()).toBe(7);
    await replicas.tally('a', 1);
    expect(await follower.total()).toBe(8);
    expect(counts).toEqual({ follow: 0 });
  });

  it('takes the lease within 2 s when its holder ends', async () => {
    const leader = replicas.start();
    await leader.models.caughtUp;
    const follower = replicas.start();
    await follower.models.caughtUp;
    await leader.stop();
    const stopped = performance.now();
    await replicas.tally('a', 7);
    expect(await follower.total()).toBe(7);
    expect(performance.now() - stopped).toBeLessThan(2_000);
  });

  it('asks an idle store at most three questions a second, as leader and as follower', async () => {
    const leader = replicas.start();
    await leader.models.caughtUp;
    const follower = replicas.start();
    await follower.models.caughtUp;
    const questions = (replica: Replica) =>
      (['lease', 'namespaces', 'namespace'] as const).map((name) =>
        jest.spyOn(replica.store, name),
      );
    const spies = [questions(leader), questions(follower)];
    const until = performance.now() + 3_000;
    await eventually('three seconds are over', () => performance.now() > until);
    for (const asked of spies) {
      const count = asked.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      expect(count).toBeGreaterThan(2);
      expect(count).toBeLessThanOrEqual(10);
    }
  });

  it('is stuck at an event that a fold cannot take, and goes on once it can', async () => {
    let isBroken = false;
    const fragile: Projection<TallyEvent> = {
      ...others,
      evolve: (documents, event) => {
        if (isBroken) throw new Error('broken');
        tallies.evolve(documents, event);
      },
    };
    const replica = replicas.start({ readSide: readSideOf('tallies', [fragile, tallies]) });
    await replica.models.caughtUp;
    isBroken = true;
    await replicas.tally('a', 2);
    await eventually('it is stuck', () => replica.models.standing.state === 'stuck');
    expect(replica.models.standing.fault).toMatchObject({ message: 'broken' });
    isBroken = false;
    expect(await replica.total()).toBe(2);
    await eventually('it is live', () => replica.models.standing.state === 'live');
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
    expect(replica.models.standing.state).toBe('live');
    expect(replica.models.degraded).toEqual([
      '1 account is parked at an event that cannot be read',
    ]);
    const model = replica.models.of(tallies);
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
    expect(next.models.degraded).toHaveLength(1);
  });

  it('fills a generation anew when what serves is damaged', async () => {
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
    await eventually('it is stalled', () => models.standing.state === 'stalled', 12_000);
    expect(models.stalls).toBe(1);
    expect(replica.news).toMatchObject([{ kind: 'stalled' }]);
    isSilent = false;
    expect(await replica.total()).toBe(3);
    await eventually('it is live', () => models.standing.state === 'live');
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

  it('does not fold on what was folded from another log', async () => {
    await replicas.tally('a', 4);
    const first = replicas.start();
    await first.total();
    await first.stop();
    const other = { id: 'another', position: '0' };
    const second = replicas.start({
      log: (log) => logWith(log, { identity: async () => other }),
    });
    await eventually('it is stuck', () => second.models.standing.state === 'stuck');
    expect(second.models.standing.fault).toMatchObject({ name: 'UnheldPositionError' });
  });

  it('is read on when a look at the store fails once, as leader and as follower', async () => {
    await replicas.tally('a', 4);
    const leader = replicas.start();
    await leader.models.caughtUp;
    const follower = replicas.start();
    await follower.models.caughtUp;
    for (const { store, models } of [leader, follower]) {
      const looks = jest.spyOn(store, 'namespaces');
      looks.mockRejectedValueOnce(new Unavailable('read store', new Error('EMFILE')));
      await eventually('it looked', () => looks.mock.calls.length > 0);
      expect(await models.read(async (view) => view.checkpoint)).toBe(await replicas.log.head());
      expect(models.standing.generation).toBe(1);
    }
    await replicas.tally('a', 1);
    for (const replica of [leader, follower]) expect(await replica.total()).toBe(5);
  });

  it('asks for its lease no second time while an answer is under way, and keeps it', async () => {
    const replica = replicas.replica();
    const lease = replica.store.lease.bind(replica.store);
    let [asking, most, isSlow] = [0, 0, false];
    jest.spyOn(replica.store, 'lease').mockImplementation(async (...args) => {
      asking += 1;
      most = Math.max(most, asking);
      if (isSlow) await delay(1_500);
      asking -= 1;
      return lease(...args);
    });
    const release = jest.spyOn(replica.store, 'release');
    replica.models.start();
    await replica.models.caughtUp;
    isSlow = true;
    const until = performance.now() + 4_000;
    await eventually('two renewals are over', () => performance.now() > until);
    expect(most).toBe(1);
    expect(release).not.toHaveBeenCalled();
    await replicas.tally('a', 3);
    expect(await replica.total()).toBe(3);
  });

  it('that follows tells the state, the fault and the parked accounts of the leader', async () => {
    const replica = replicas.replica();
    let progress = JSON.stringify([1, 'stuck', 'broken', 2]);
    jest
      .spyOn(replica.store, 'lease')
      .mockImplementation(async () => ({ isHeld: false, progress }));
    replica.models.start();
    await eventually('it is stuck', () => replica.models.standing.state === 'stuck');
    expect(replica.models.standing).toMatchObject({ fault: { message: 'broken' }, parked: 2 });
    progress = JSON.stringify([2, 'catching-up', null, 0]);
    await eventually('it is well', () => replica.models.standing.state === 'catching-up');
    expect(replica.models.standing).toMatchObject({ fault: null, parked: 0 });
  });
});
