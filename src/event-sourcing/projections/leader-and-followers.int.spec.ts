import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually } from '../../../test/support/harness/eventually.js';
import { counting, logWith } from '../../../test/support/specs/log-with.js';
import { type Replica, Replicas } from '../../../test/support/specs/replicas.js';
import type { EventLog } from '../event-log/event-log.js';
import { Unavailable } from '../../kernel/errors.js';

describe('replicas over one log and one store', () => {
  let replicas: Replicas;

  beforeEach(() => {
    replicas = new Replicas();
  });

  afterEach(async () => {
    await replicas.dispose();
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

  it('names the position that it has reached whenever it asks for the head, as follower and as leader', async () => {
    await replicas.tally('a', 4);
    const leader = replicas.start();
    await leader.models.caughtUp;
    const known = leader.models.state.position;
    const asked: string[] = [];
    const log = (own: EventLog): EventLog =>
      logWith(own, {
        head: (reached) => {
          asked.push(reached ?? '');
          return own.head();
        },
      });
    const follower = replicas.start({ log });
    await follower.models.caughtUp;
    await leader.stop();
    await replicas.tally('a', 1);
    expect(await follower.total()).toBe(5);
    expect(asked.length).toBeGreaterThanOrEqual(2);
    expect(asked.filter((reached) => reached < known)).toEqual([]);
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

  it('asks an idle store at most three questions a second, some of them for its generations, as leader and as follower', async () => {
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
      expect(asked[1]?.mock.calls.length).toBeGreaterThan(0);
    }
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
      expect(models.state.generation).toBe(1);
    }
    await replicas.tally('a', 1);
    for (const replica of [leader, follower]) expect(await replica.total()).toBe(5);
  });

  it('asks for its lease no second time while an answer is under way, and keeps it', async () => {
    const replica = replicas.replica();
    const lease = replica.store.lease.bind(replica.store);
    let asking = 0;
    let most = 0;
    let isSlow = false;
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
    await eventually('it is stuck', () => replica.models.state.phase === 'stuck');
    expect(replica.models.state).toMatchObject({ fault: { message: 'broken' }, parked: 2 });
    progress = JSON.stringify([2, 'catching-up', null, 0]);
    await eventually('it is well', () => replica.models.state.phase === 'catching-up');
    expect(replica.models.state).toMatchObject({ fault: null, parked: 0 });
  });
});
