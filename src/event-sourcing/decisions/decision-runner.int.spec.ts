import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { z } from 'zod';
import { event } from '../../../test/contracts/opened-log.js';
import { sum, tallied, tally, type TallyEvent } from '../../../test/support/specs/tally.js';
import { Refusal, Unavailable, Unreadable } from '../../kernel/errors.js';
import { defineEvent } from '../../kernel/event.js';
import type { Origin } from '../../kernel/metadata.js';
import { type Decision, DecisionRunner } from './decision-runner.js';
import type { EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';

const NOW = '2026-05-05T05:05:05.555Z';
const origin: Origin = {
  actor: { type: 'management-key', id: 'hash', user_id: 'ada' },
  requestId: 'request-1',
};

describe('the decision runner', () => {
  const registry = new EventRegistry([tallied, defineEvent('Counted', z.object({}))]);
  const clock = { now: () => new Date(NOW) };
  let log: EventLog;
  let runner: DecisionRunner;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    runner = new DecisionRunner(log, registry, clock);
  });

  afterEach(async () => {
    await log.close();
  });

  const decision = (
    decide: Decision<number, TallyEvent>['decide'],
    more: { expectNew?: boolean; at?: Date } = {},
  ): Decision<number, TallyEvent> => ({
    aggregate: sum,
    id: '1',
    accountId: 'account-1',
    origin,
    decide,
    ...more,
  });

  it('decides on the state so far and gives the state after', async () => {
    await runner.run(decision(() => [tally('a', 5)]));
    const decided = await runner.run(decision((state) => [tally('a', state), tally('a', 1)]));
    expect(decided).toMatchObject({ state: 11, revision: 2, position: await log.head() });
    expect(await runner.load(sum, '1')).toBe(11);
  });

  it('tells of each event that it appended, with the position of the append, and of no other', async () => {
    const told: unknown[] = [];
    runner.onAppended((own) => told.push(own));
    const { position } = await runner.run(decision(() => [tally('a', 5), tally('b', 1)]));
    await runner.run(decision(() => []));
    const place = { stream: 'tally-1', position };
    expect(told).toEqual([tally('a', 5), tally('b', 1)].map((event) => ({ ...place, ...event })));
  });

  it('stamps every event with who, when, for whom and why', async () => {
    await runner.run(decision(() => [tally('a'), tally('b')]));
    const [first, second] = (await log.readStream('tally-1')).events;
    expect(first?.metadata).toMatchObject({
      occurred_at: NOW,
      actor: origin.actor,
      account_id: 'account-1',
      request_id: 'request-1',
      correlation_id: 'request-1',
    });
    const cause = first?.metadata.causation_id;
    expect(cause).toMatch(/^[0-9a-f]{8}-/);
    expect(second?.metadata.causation_id).toBe(cause);
    await runner.run(decision(() => [tally('c')]));
    const [, , third] = (await log.readStream('tally-1')).events;
    expect(third?.metadata.causation_id).not.toBe(cause);
    expect(first?.id).not.toBe(second?.id);
  });

  it('stamps events with the time of the decision, in whatever attempt they are stored', async () => {
    const at = new Date('2026-05-04T23:59:59.999Z');
    await runner.run(decision(() => [tally('a', 1)]));
    let attempts = 0;
    const decide = (): TallyEvent[] => {
      attempts += 1;
      return [tally('a', 1)];
    };
    await runner.run(decision(decide, { at, expectNew: true }));
    expect(attempts).toBe(2);
    const { events } = await log.readStream('tally-1');
    expect(events.map(({ metadata }) => metadata['occurred_at'])).toEqual([NOW, at.toISOString()]);
  });

  it('writes nothing when nothing happens', async () => {
    expect(await runner.run(decision(() => []))).toMatchObject({ state: 0, revision: -1 });
    expect((await log.readStream('tally-1')).events).toEqual([]);
  });

  it('writes nothing when a rule refuses', async () => {
    const refused = runner.run(
      decision(() => {
        throw new Refusal('no-update-fields');
      }),
    );
    await expect(refused).rejects.toMatchObject({ code: 'no-update-fields' });
    expect((await log.readStream('tally-1')).events).toEqual([]);
  });

  it('takes 64 decisions at once on one stream, each on what the others left', async () => {
    await Promise.all(
      Array.from({ length: 64 }, () => runner.run(decision((n) => [tally('a', n + 1)]))),
    );
    expect(await runner.load(sum, '1')).toBe(2 ** 64 - 1);
  });

  it('refuses a decision that waited 8 s for those before it, and takes the next', async () => {
    let letGo: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    const first = runner.run(decision(() => held.then(() => [tally('a', 1)])));
    const second = runner.run(decision(() => [tally('a', 10)]));
    const refused = expect(second).rejects.toMatchObject({ code: 'too-many-writers' });
    const later = performance.now() + 8_001;
    const clockwork = jest.spyOn(performance, 'now').mockReturnValue(later);
    letGo();
    await first;
    await refused;
    clockwork.mockRestore();
    expect(await runner.run(decision(() => [tally('a', 100)]))).toMatchObject({ state: 101 });
  });

  it('decides on what decisions before it read or wrote while it waited, and reads nothing again', async () => {
    await runner.run(decision(() => [tally('a', 1)]));
    const reads = jest.spyOn(log, 'readStream');
    const states = await Promise.all(
      Array.from({ length: 8 }, () => runner.run(decision((n) => (n < 3 ? [tally('a')] : [])))),
    );
    expect(states.map(({ state }) => state)).toEqual([2, 3, 3, 3, 3, 3, 3, 3]);
    // The first of them reads the only page.
    expect(reads).toHaveBeenCalledTimes(1);
  });

  it('finds out once, for all who wait, that a stream expected to be new is not', async () => {
    const appends = jest.spyOn(log, 'append');
    const register = decision((n) => (n === 0 ? [tally('a')] : []), { expectNew: true });
    await Promise.all(Array.from({ length: 8 }, () => runner.run(register)));
    expect(appends).toHaveBeenCalledTimes(2);
    expect(await runner.load(sum, '1')).toBe(1);
  });

  it('sees what another process wrote before it was asked, whatever was read earlier', async () => {
    const elsewhere = new DecisionRunner(log, registry, clock);
    await runner.run(decision(() => [tally('a', 1)]));
    expect(await runner.run(decision(() => []))).toMatchObject({ state: 1 });
    await elsewhere.run(decision(() => [tally('a', 10)]));
    expect(await runner.run(decision(() => []))).toMatchObject({ state: 11 });
  });

  it('sees what another process wrote while it waited, as it cannot be written behind', async () => {
    const elsewhere = new DecisionRunner(log, registry, clock);
    await runner.run(decision(() => [tally('a', 1)]));
    const first = runner.run(decision(() => [tally('a', 2)]));
    const second = runner.run(
      decision(async (state) => {
        if (state === 3) await elsewhere.run(decision(() => [tally('a', 10)]));
        return [tally('a', 100)];
      }),
    );
    expect(await first).toMatchObject({ state: 3 });
    expect(await second).toMatchObject({ state: 113 });
  });

  it('decides anew when another process wrote in between', async () => {
    const elsewhere = new DecisionRunner(log, registry, clock);
    await runner.run(decision(() => [tally('a', 1)]));
    const asked: number[] = [];
    const decided = await runner.run(
      decision(async (state) => {
        asked.push(state);
        if (asked.length === 1) await elsewhere.run(decision(() => [tally('a', 10)]));
        return [tally('a', 100)];
      }),
    );
    expect(asked).toEqual([1, 11]);
    expect(decided.state).toBe(111);
  });

  it('finds out that a stream expected to be new is not', async () => {
    await new DecisionRunner(log, registry, clock).run(decision(() => [tally('a', 7)]));
    const asked: number[] = [];
    await runner.run(
      decision(
        (state) => {
          asked.push(state);
          return [tally('a')];
        },
        { expectNew: true },
      ),
    );
    expect(asked).toEqual([0, 7]);
  });

  it('refuses with those who waited when the log is unavailable, and takes the next', async () => {
    jest.spyOn(log, 'append').mockRejectedValueOnce(new Unavailable('event log', 'gone'));
    const [first, second, third] = Array.from({ length: 3 }, () =>
      runner.run(decision(() => [tally('a', 1)])),
    );
    for (const refused of [first, second, third]) {
      await expect(refused).rejects.toBeInstanceOf(Unavailable);
    }
    expect(await runner.run(decision(() => [tally('a', 1)]))).toMatchObject({ state: 1 });
  });

  it('goes on after a decision before it that was refused, or waited for another part', async () => {
    const failures = [new Refusal('not-found'), new Unavailable('read store', 'gone')];
    const refused = failures.map((failure) => {
      const run = runner.run(decision(() => Promise.reject(failure)));
      return expect(run).rejects.toBe(failure);
    });
    expect(await runner.run(decision(() => [tally('a', 1)]))).toMatchObject({ state: 1 });
    await Promise.all(refused);
  });

  it('passes over events that are none of its aggregate', async () => {
    await log.append('tally-1', [event({}, 'Counted')], 'no-stream');
    const decided = await runner.run(decision(() => [tally('a', 3)]));
    expect(decided).toMatchObject({ state: 3, revision: 1 });
  });

  it.each([
    ['of a type that is not known', event({}, 'Unheard')],
    [
      'of a version that is not known',
      { ...event({ name: 'a', amount: 1 }, 'Tallied'), version: 2 },
    ],
  ])('decides nothing behind an event %s, whatever was loaded before', async (_, unreadable) => {
    await runner.run(decision(() => [tally('a', 1)]));
    expect(await runner.load(sum, '1')).toBe(1);
    await log.append('tally-1', [unreadable], 0);
    const asked: number[] = [];
    const decide = (state: number): TallyEvent[] => {
      asked.push(state);
      return [tally('a', 1)];
    };
    const fresh = new DecisionRunner(log, registry, clock);
    const outcomes = await Promise.allSettled([
      runner.run(decision(decide)),
      runner.run(decision(decide)),
      fresh.run(decision(decide, { expectNew: true })),
      runner.load(sum, '1'),
      runner.replay(sum, 'tally-1', 'account-1'),
    ]);
    outcomes.push(...(await Promise.allSettled([fresh.run(decision(decide))])));
    for (const outcome of outcomes) {
      const reason = expect.any(Unreadable) as unknown;
      expect(outcome).toMatchObject({ status: 'rejected', reason });
      expect(outcome.status === 'rejected' && String(outcome.reason)).toContain(unreadable.id);
    }
    // Only decisions that skipped the read, and were refused by the log, were asked.
    expect(asked.sort()).toEqual([0, 1, 1]);
    expect((await log.readStream('tally-1')).events).toHaveLength(2);
  });
});
