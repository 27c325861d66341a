import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../../test/support/harness/eventually.js';
import { logWith } from '../../../test/support/specs/log-with.js';
import { type Replica, Replicas } from '../../../test/support/specs/replicas.js';
import { tallied, tallies, type TallyEvent } from '../../../test/support/specs/tally.js';
import type { EventBatch, EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { Unreadable } from '../../kernel/errors.js';
import type { Projection } from './projection.js';
import { ReadModels } from './read-model.js';
import { ReadYourWrites } from './read-your-writes.js';

const others: Projection<TallyEvent> = { ...tallies, name: 'others' };

/** A log that counts its subscriptions and its reads of all events. */
function counting(counts: { follow: number; readAll: number }): (log: EventLog) => EventLog {
  return (log) =>
    logWith(log, {
      follow: (...args) => {
        counts.follow += 1;
        return log.follow(...args);
      },
      readAll: (...args) => {
        counts.readAll += 1;
        return log.readAll(...args);
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
    const counts = { follow: 0, readAll: 0 };
    const registry = new EventRegistry([tallied]);
    const decode = jest.spyOn(registry, 'decode');
    await replicas.tally('a');
    const log = counting(counts);
    const replica = replicas.start({ projections: [tallies, others], registry, log });
    expect(await replica.total()).toBe(1);
    for (let count = 2; count <= 5; count++) {
      await replicas.tally('a');
      expect(await replica.total()).toBe(count);
    }
    const { position } = replica.projections.get('others').progress;
    expect(position).toBe(await replicas.log.head());
    expect(decode).toHaveBeenCalledTimes(5);
    // One read serves the first replay of both projections. Then each joins the subscription, which begins anew.
    expect(counts.readAll).toBe(1);
    expect(counts.follow).toBeLessThanOrEqual(2);
  });

  it('goes on from its checkpoint after a restart, and folds each event once', async () => {
    await replicas.tally('a', 1);
    const first = replicas.start();
    expect(await first.total()).toBe(1);
    await first.stop();
    await replicas.tally('a', 2);
    const counts = { follow: 0, readAll: 0 };
    const second = replicas.start({ log: counting(counts) });
    expect(await second.total()).toBe(3);
    expect(second.projections.get(tallies.name).eventsFolded).toBe(1);
  });

  it('subscribes to nothing where another replica has the lease, and follows its checkpoints', async () => {
    const leader = replicas.start();
    await leader.projections.caughtUp();
    const counts = { follow: 0, readAll: 0 };
    const follower = replicas.start({ log: counting(counts) });
    await replicas.tally('a', 7);
    expect(await follower.total()).toBe(7);
    await replicas.tally('a', 1);
    expect(await follower.total()).toBe(8);
    expect(counts).toEqual({ follow: 0, readAll: 0 });
  });

  it('takes the lease within 2 s when its holder ends', async () => {
    const leader = replicas.start();
    await leader.projections.caughtUp();
    const follower = replicas.start();
    await follower.projections.caughtUp();
    await leader.stop();
    const stopped = performance.now();
    await replicas.tally('a', 7);
    expect(await follower.total()).toBe(7);
    expect(performance.now() - stopped).toBeLessThan(2_000);
  });

  it('asks an idle store at most three questions a second, as leader and as follower', async () => {
    const leader = replicas.start();
    await leader.projections.caughtUp();
    const follower = replicas.start();
    await follower.projections.caughtUp();
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

  it('lets the others go on when one projection fails, which joins them once it is well', async () => {
    let isBroken = false;
    const fragile: Projection<TallyEvent> = {
      ...others,
      evolve: (documents, event) => {
        if (isBroken) throw new Error('broken');
        tallies.evolve(documents, event);
      },
    };
    const replica = replicas.start({ projections: [fragile, tallies] });
    await replica.projections.caughtUp();
    isBroken = true;
    await replicas.tally('a', 2);
    expect(await replica.total()).toBe(2);
    const running = replica.projections.get(fragile.name);
    await eventually('it is stuck', () => running.state === 'stuck');
    expect(running.fault).toMatchObject({ message: 'broken' });
    isBroken = false;
    await eventually('it is live', () => running.state === 'live');
    expect(running.progress.position).toBe(await replicas.log.head());
    expect(replica.news.map(({ projection, kind }) => [projection, kind])).toEqual([
      [fragile.name, 'stuck'],
      [fragile.name, 'goes-on'],
    ]);
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
    replica.projections.start();
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
    const running = replica.projections.get(tallies.name);
    expect(running.state).toBe('live');
    expect(running.degraded).toEqual(['1 account is parked at an event that cannot be read']);
    const model = new ReadModels(
      replica.projections,
      new ReadYourWrites(replicas.log, replica.projections, 1_000),
    ).of(tallies);
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
    expect(next.projections.get(tallies.name).degraded).toHaveLength(1);
  });

  it('fills a generation anew when what serves is damaged, and serves the others meanwhile', async () => {
    await replicas.tally('a', 4);
    const first = replicas.start({ projections: [tallies, others] });
    await first.total();
    await first.stop();
    const [file] = readdirSync(replicas.readModels).filter((name) =>
      name.startsWith('main.tallies'),
    );
    writeFileSync(join(replicas.readModels, file ?? ''), 'damaged '.repeat(1_000));
    const second = replicas.start({ projections: [tallies, others] });
    expect(await second.total()).toBe(4);
    const files = readdirSync(replicas.readModels);
    expect(files).toContain('main.tallies.v1.g2.p0.db');
    expect(files).toContain('main.others.v1.g1.p0.db');
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
    await replica.projections.caughtUp();
    isSilent = true;
    await replicas.tally('a', 3);
    const running = replica.projections.get(tallies.name);
    await eventually('it is stalled', () => running.state === 'stalled', 12_000);
    expect(running.stalls).toBe(1);
    expect(replica.news).toMatchObject([{ kind: 'stalled' }]);
    isSilent = false;
    expect(await replica.total()).toBe(3);
    await eventually('it is live', () => running.state === 'live');
  }, 30_000);

  it('folds another version into generations of its own, and sweeps those of the one before', async () => {
    await replicas.tally('a', 4);
    const first = replicas.start();
    await first.total();
    await first.stop();
    const second = replicas.start({ projections: [{ ...tallies, version: 2 }] });
    expect(await second.total()).toBe(4);
    await eventually('the version before is gone', () => {
      const left = readdirSync(replicas.readModels).filter((name) => name.endsWith('.db'));
      return (
        !left.includes('main.tallies.v1.g1.p0.db') && left.includes('main.tallies.v2.g1.p0.db')
      );
    });
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
    const running = second.projections.get(tallies.name);
    await eventually('it is stuck', () => running.state === 'stuck');
    expect(running.fault).toMatchObject({ name: 'OtherLogError' });
  });
});
