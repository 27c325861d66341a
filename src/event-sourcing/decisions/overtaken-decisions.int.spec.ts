import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { event } from '../../../test/contracts/opened-log.js';
import { eventually } from '../../../test/support/harness/eventually.js';
import { sum, tallied, tally, type TallyEvent } from '../../../test/support/specs/tally.js';
import { type Decision, DecisionRunner } from './decision-runner.js';
import type { EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { Refusal } from '../../kernel/errors.js';
import { distanceTo } from '../../kernel/position.js';

describe('a decision that other processes overtake', () => {
  const registry = new EventRegistry([tallied]);
  let log: EventLog;
  let runner: DecisionRunner;
  let decided: number;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    runner = new DecisionRunner(log, registry, { now: () => new Date() });
    decided = 0;
  });

  afterEach(async () => {
    await log.close();
  });

  /** A decision during which others write. @param times how many of its attempts are overtaken. */
  const overtaken = (times: number, hasLeft?: () => boolean): Decision<number, TallyEvent> => ({
    aggregate: sum,
    id: '1',
    accountId: 'account-1',
    origin: {
      actor: { type: 'system', id: 'test', user_id: null },
      requestId: null,
      ...(hasLeft && { hasLeft }),
    },
    decide: async () => {
      decided += 1;
      const other = event({ name: 'other', amount: 0 }, 'Tallied');
      const length = distanceTo(await log.head());
      if (decided <= times)
        await log.append('tally-1', [other], length === 0 ? 'no-stream' : length - 1);
      return [tally('a', 1)];
    },
  });

  it('is taken anew until nobody is before it', async () => {
    expect(await runner.run(overtaken(40))).toMatchObject({ state: 1, revision: 40 });
  });

  it('is refused after 8 s, as too many write', async () => {
    // A whole number, because adding 8 s to a fraction is not exact.
    const began = Math.floor(performance.now());
    const now = jest.spyOn(performance, 'now');
    now.mockImplementation(() => began + 200 * decided);
    const refused = runner.run(overtaken(Infinity));
    await expect(refused).rejects.toMatchObject({ code: 'too-many-writers' });
    now.mockRestore();
    expect(decided).toBe(40);
  });

  it('is given up when its caller leaves', async () => {
    let hasLeft = false;
    const refused = expect(runner.run(overtaken(Infinity, () => hasLeft))).rejects.toMatchObject({
      code: 'too-many-writers',
    });
    await eventually('it is decided often', () => decided > 40);
    hasLeft = true;
    await refused;
  });

  it('is taken anew after one read each time', async () => {
    await log.append('tally-1', [event({ name: 'x', amount: 0 }, 'Tallied')], 'no-stream');
    const reads = jest.spyOn(log, 'readStream');
    await runner.run(overtaken(3));
    // The existing page, then one event of each of three other writers.
    expect(reads).toHaveBeenCalledTimes(1 + 3);
  });

  it('is taken without a read on what is known, but is not refused before a read', async () => {
    const decide = (state: number): TallyEvent[] => {
      if (state === 2) throw new Refusal('no-update-fields');
      return [tally('a', 1)];
    };
    for (let times = 0; times < 2; times += 1) await runner.run(overtaken(0));
    const reads = jest.spyOn(log, 'readStream');
    expect(await runner.run(overtaken(0))).toMatchObject({ state: 3 });
    expect(reads).not.toHaveBeenCalled();
    await runner.run({ ...overtaken(0), decide: () => [tally('a', -1)] });
    await log.append('tally-1', [event({ name: 'other', amount: 5 }, 'Tallied')], 3);
    expect(await runner.run({ ...overtaken(0), decide })).toMatchObject({ state: 8 });
    await runner.run({ ...overtaken(0), decide: () => [tally('a', -6)] });
    const refused = runner.run({ ...overtaken(0), decide });
    await expect(refused).rejects.toMatchObject({ code: 'no-update-fields' });
  });
});
