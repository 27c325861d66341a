import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { event } from '../../../test/contracts/opened-log.js';
import { eventually } from '../../../test/support/harness/eventually.js';
import { logWith } from '../../../test/support/specs/log-with.js';
import { sum, tallied, tally, type TallyEvent } from '../../../test/support/specs/tally.js';
import { countTurns } from '../../../test/support/specs/turns.js';
import { Unavailable } from '../../kernel/errors.js';
import { type Decision, DecisionRunner } from './decision-runner.js';
import type { EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { StateLoader } from './state-loader.js';

const decision: Decision<number, TallyEvent> = {
  aggregate: sum,
  id: '1',
  accountId: 'account-1',
  origin: { actor: { type: 'operator', id: 'test', user_id: null }, requestId: null },
  decide: () => [tally('a', 1), tally('b', 2)],
};

describe('the states that the decision runner loads', () => {
  const registry = new EventRegistry([tallied]);
  const clock = { now: () => new Date(0) };
  let log: EventLog;
  let runner: DecisionRunner;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    runner = new DecisionRunner(log, registry, clock);
  });

  afterEach(async () => {
    await log.close();
  });

  it('are kept, also one that is larger than all that may be kept', async () => {
    const reads = jest.spyOn(log, 'readStream');
    for (const size of [1_000, 100_000_000]) {
      const aggregate = { ...sum, sizeOf: () => size };
      const id = `of-${size}`;
      await runner.run({ ...decision, id, aggregate });
      await runner.load(aggregate, id);
      reads.mockClear();
      expect(await runner.load(aggregate, id)).toBe(3);
      expect(reads.mock.calls).toEqual([[`tally-${id}`, 2]]);
    }
  });

  it('are not kept where the aggregate says so', async () => {
    const aggregate = { ...sum, sizeOf: () => Infinity };
    await runner.run({ ...decision, aggregate });
    const reads = jest.spyOn(log, 'readStream');
    expect(await runner.load(aggregate, decision.id)).toBe(3);
    expect(reads.mock.calls).toEqual([[sum.streamOf(decision.id), 0]]);
  });

  it('are kept within a bound of bytes, those that were used last', async () => {
    const aggregate = { ...sum, sizeOf: () => 10 * 1024 * 1024 };
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const id of ids) {
      await log.append(`tally-${id}`, [event({ name: 'a', amount: 1 }, 'Tallied')], 'no-stream');
      await runner.load(aggregate, id);
    }
    const reads = jest.spyOn(log, 'readStream');
    for (const id of ids.toReversed()) await runner.load(aggregate, id);
    const whole = reads.mock.calls.filter(([, from]) => from === 0).map(([stream]) => stream);
    expect(whole).toEqual(['tally-b', 'tally-a']);
  });

  it('are kept within a bound of number', () => {
    const states = new StateLoader(log, registry);
    const sources = Array.from({ length: 50_001 }, (_, id) => ({ aggregate: sum, id: String(id) }));
    for (const source of sources) states.keep(source, { state: 1, revision: 0, readAt: 0 });
    expect(sources.filter((source) => states.kept(source) === undefined)).toEqual([
      { aggregate: sum, id: '0' },
    ]);
  });

  it('are read once for all who need them at once', async () => {
    const many = Array.from({ length: 1_500 }, () => event({ name: 'a', amount: 1 }, 'Tallied'));
    await log.append('tally-1', many, 'no-stream');
    const reads = jest.spyOn(log, 'readStream');
    const loads = Array.from({ length: 50 }, () => runner.load(sum, '1'));
    expect(new Set(await Promise.all(loads))).toEqual(new Set([1_500]));
    expect(reads.mock.calls.filter(([, from = 0]) => from < 1_500)).toHaveLength(5);
  });

  it('have what was written during a load, for a caller who asked after that', async () => {
    const many = Array.from({ length: 1_500 }, () => event({ name: 'a', amount: 1 }, 'Tallied'));
    await log.append('tally-1', many, 'no-stream');
    const held: (() => void)[] = [];
    const slow = new DecisionRunner(
      logWith(log, {
        async readStream(stream, from) {
          const page = await log.readStream(stream, from);
          // The last page was read, and its answer is delayed while another process writes.
          if (!page.more && held.length === 0) {
            await new Promise<void>((resolve) => held.push(resolve));
          }
          return page;
        },
      }),
      registry,
      clock,
    );
    const before = slow.load(sum, '1');
    const letGo = await eventually('the end to be read', () => held[0]);
    await log.append('tally-1', [event({ name: 'a', amount: 1 }, 'Tallied')], 1_499);
    const after = slow.load(sum, '1');
    letGo();
    expect(await Promise.all([before, after])).toEqual([1_500, 1_501]);
  });

  it('are loaded again for the next caller after a load failed for all who waited for it', async () => {
    await log.append('tally-1', [event({ name: 'a', amount: 1 }, 'Tallied')], 'no-stream');
    const reads = jest.spyOn(log, 'readStream');
    reads.mockRejectedValueOnce(new Unavailable('event log', 'gone'));
    const loads = [runner.load(sum, '1'), runner.load(sum, '1')];
    for (const load of await Promise.allSettled(loads)) expect(load.status).toBe('rejected');
    expect(await runner.load(sum, '1')).toBe(1);
  });

  it('are loaded a few at a time', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `number-${index}`);
    for (const id of ids) {
      await log.append(`tally-${id}`, [event({ name: 'a', amount: 1 }, 'Tallied')], 'no-stream');
    }
    const reading = new Set<string>();
    let atOnce = 0;
    const counted = new DecisionRunner(
      logWith(log, {
        async readStream(stream, from = 0) {
          reading.add(stream);
          atOnce = Math.max(atOnce, reading.size);
          const page = await log.readStream(stream, from);
          if (!page.more) reading.delete(stream);
          return page;
        },
      }),
      registry,
      clock,
    );
    const loads = ids.map((id) => counted.load(sum, id));
    expect(new Set(await Promise.all(loads))).toEqual(new Set([1]));
    expect(atOnce).toBe(8);
  });

  it('are not those that a replay gives, which is not kept', async () => {
    await runner.run(decision);
    const last = { ...sum, evolve: (_: number, { data }: TallyEvent) => data.amount };
    // @ts-expect-error A fold that does not name streams of its own cannot be loaded.
    await expect(runner.load({ ...last, streamOf: undefined }, '1')).rejects.toThrow(TypeError);
    expect(await runner.replay(last, 'tally-1', 'account-1')).toBe(2);
    expect(await runner.load(sum, '1')).toBe(3);
  });

  it('are folded in turns with everything else', async () => {
    const many = Array.from({ length: 3_000 }, () => event({ name: 'a', amount: 1 }, 'Tallied'));
    await log.append('tally-1', many, 'no-stream');
    const turns = countTurns();
    expect(await runner.load(sum, '1')).toBe(many.length);
    turns.stop();
    expect(turns.passed()).toBeGreaterThan(3);
  });
});
