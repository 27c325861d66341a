import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { event } from '../../../test/contracts/opened-log.js';
import { projectionsHere } from '../../../test/support/specs/projections-here.js';
import { tallied, tallies } from '../../../test/support/specs/tally.js';
import type { EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { Unavailable } from '../../kernel/errors.js';
import type { ReadStore } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import type { Projections } from './projections.js';
import { ReadYourWrites } from './read-your-writes.js';

describe('a read that must see earlier writes', () => {
  let log: EventLog;
  let store: ReadStore;
  let projections: Projections;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    store = new SqliteReadStore(':memory:');
    const registry = new EventRegistry([tallied]);
    projections = projectionsHere([tallies], { log, registry, store });
  });

  afterEach(async () => {
    await projections.stop();
    await store.close();
    await log.close();
  });

  const write = async (): Promise<string> => {
    const data = event({ name: 'a', amount: 1 }, 'Tallied');
    return (await log.append(`s-${randomUUID()}`, [data], 'no-stream')).position;
  };

  it('waits until they are folded in', async () => {
    const written = await write();
    const reads = new ReadYourWrites(log, projections, 10_000);
    const waiting = Promise.all([reads.settled(tallies.name), reads.reached(tallies.name)]);
    projections.start();
    const [{ position, isLate }] = await waiting;
    expect({ isThere: position >= written, isLate }).toEqual({ isThere: true, isLate: false });
  });

  it('asks the log for its head once', async () => {
    await write();
    const head = jest.spyOn(log, 'head');
    const reached = new ReadYourWrites(log, projections, 10_000).reached(tallies.name);
    while (head.mock.calls.length === 0) await nextTurn();
    await nextTurn();
    expect(head).toHaveBeenCalledTimes(1);
    projections.start();
    await reached;
  });

  it('that ran out of time shows what there is, or is refused where that will not do', async () => {
    const written = await write();
    const reads = new ReadYourWrites(log, projections, 1);
    const { position, isLate } = await reads.settled(tallies.name);
    expect({ isThere: position >= written, isLate }).toEqual({ isThere: false, isLate: true });
    await expect(reads.reached(tallies.name)).rejects.toBeInstanceOf(Unavailable);
  });

  it('is not refused because others shall not wait at all', async () => {
    await write();
    const reads = new ReadYourWrites(log, projections, 0);
    const [settled, reached] = [reads.settled(tallies.name), reads.reached(tallies.name)];
    await settled;
    await nextTurn();
    projections.start();
    await expect(reached).resolves.toBeUndefined();
  });
});
