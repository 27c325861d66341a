import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { event } from '../../../test/contracts/opened-log.js';
import { readModelsHere } from '../../../test/support/specs/read-models-here.js';
import { TALLIES } from '../../../test/support/specs/replicas.js';
import { tallied } from '../../../test/support/specs/tally.js';
import type { EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { Unavailable } from '../../kernel/errors.js';
import { START } from '../../kernel/position.js';
import type { ReadStore } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import type { ReadModels } from './read-models.js';

describe('a read that must see earlier writes', () => {
  let log: EventLog;
  let store: ReadStore;
  let models: ReadModels;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    store = new SqliteReadStore(':memory:');
    models = modelsThatWait(0);
  });

  afterEach(async () => {
    await models.stop();
    await store.close();
    await log.close();
  });

  function modelsThatWait(timeoutMs: number): ReadModels {
    const registry = new EventRegistry([tallied]);
    return readModelsHere(TALLIES, { log, registry, store }, { timeoutMs });
  }

  const write = async (): Promise<string> => {
    const data = event({ name: 'a', amount: 1 }, 'Tallied');
    return (await log.append(`s-${randomUUID()}`, [data], 'no-stream')).position;
  };

  it('waits until they are folded in', async () => {
    const written = await write();
    models = modelsThatWait(10_000);
    const waiting = Promise.all([models.wait.forWrites(), models.wait.requireWrites()]);
    models.start();
    const [isSettled] = await waiting;
    const isThere = models.progress.position >= written;
    expect({ isThere, isSettled }).toEqual({ isThere: true, isSettled: true });
  });

  it('asks the log for its head once', async () => {
    await write();
    const head = jest.spyOn(log, 'head');
    models = modelsThatWait(10_000);
    const reached = models.wait.requireWrites();
    while (head.mock.calls.length === 0) await nextTurn();
    await nextTurn();
    expect(head).toHaveBeenCalledTimes(1);
    models.start();
    await reached;
  });

  it('is for the own events of the account that is read, where they are known', async () => {
    const own = await write();
    models = modelsThatWait(10_000);
    models.wait.useOwnEnd((accountId) => Promise.resolve(accountId === 'busy' ? own : START));
    expect(await models.wait.forWrites('quiet')).toBe(true);
    const busy = models.wait.forWrites('busy');
    models.start();
    expect(await busy).toBe(true);
    expect(models.progress.position >= own).toBe(true);
  });

  it('that ran out of time shows what there is, or is refused where that will not do', async () => {
    const written = await write();
    models = modelsThatWait(1);
    const isSettled = await models.wait.forWrites();
    const isThere = models.progress.position >= written;
    expect({ isThere, isSettled }).toEqual({ isThere: false, isSettled: false });
    await expect(models.wait.requireWrites()).rejects.toBeInstanceOf(Unavailable);
  });

  it('is not refused because others shall not wait at all', async () => {
    await write();
    models = modelsThatWait(0);
    const [settled, reached] = [models.wait.forWrites(), models.wait.requireWrites()];
    await settled;
    await nextTurn();
    models.start();
    await expect(reached).resolves.toBeUndefined();
  });
});
