import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { event } from '../../../test/contracts/opened-log.js';
import { logWith } from '../../../test/support/specs/log-with.js';
import { readModelsHere } from '../../../test/support/specs/read-models-here.js';
import { TALLIES } from '../../../test/support/specs/replicas.js';
import { storeWith } from '../../../test/support/specs/store-with.js';
import { tallied } from '../../../test/support/specs/tally.js';
import type { EventLog } from '../../event-sourcing/event-log/event-log.js';
import { EventRegistry } from '../../event-sourcing/event-log/event-registry.js';
import { SqliteEventLog } from '../../event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { Unavailable } from '../../kernel/errors.js';
import type { EventMetadata } from '../../kernel/metadata.js';
import type { ReadModels } from '../../event-sourcing/projections/read-models.js';
import type { ReadStore } from '../../event-sourcing/read-store/read-store.js';
import { SqliteReadStore } from '../../event-sourcing/read-store/sqlite/sqlite-read-store.js';
import { Readiness } from './readiness.js';

const never = new Promise<never>(() => undefined);

describe('readiness', () => {
  let log: EventLog;
  let store: ReadStore;
  let models: ReadModels;
  let readiness: Readiness;
  let stuck: Promise<unknown>;

  function assemble(over: EventLog): void {
    stuck = new Promise((resolve) => {
      const registry = new EventRegistry([tallied]);
      const sources = { log: over, registry, store };
      models = readModelsHere(TALLIES, sources, { notify: resolve });
    });
    readiness = readinessOf(over, store);
  }

  const readinessOf = (asked: EventLog, kept: ReadStore): Readiness =>
    new Readiness([{ log: asked, models }], kept);

  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    store = new SqliteReadStore(':memory:');
    assemble(log);
  });

  afterEach(async () => {
    await models.stop();
    await store.close();
    await log.close();
  });

  it('lacks nothing when everything answers and has caught up', async () => {
    models.start();
    await models.caughtUp;
    expect(await readiness.obstacles()).toEqual([]);
  });

  it('lacks the process itself once that is about to stop, and asks nothing else then', async () => {
    assemble(logWith(log, { head: () => never }));
    readiness.withdraw();
    expect(await readiness.obstacles()).toEqual([
      { part: 'process', problem: 'stopping', detail: 'stopping' },
    ]);
  });

  it('is withdrawn from those too who asked before', async () => {
    models.start();
    await models.caughtUp;
    const asked = readiness.obstacles();
    readiness.withdraw();
    expect(await asked).toMatchObject([{ part: 'process' }]);
  });

  it('names a read side that was not started', async () => {
    expect(await readiness.obstacles()).toEqual([
      { part: 'read models of tallies', problem: 'not started', detail: 'not started' },
    ]);
  });

  it('names a read side that is still catching up', async () => {
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    assemble(
      logWith(log, {
        head: async () => {
          const head = await log.head();
          await gate;
          return head;
        },
      }),
    );
    const after = readinessOf(log, store);
    models.start();
    try {
      expect(await after.obstacles()).toEqual([
        { part: 'read models of tallies', problem: 'catching up', detail: 'catching up' },
      ]);
    } finally {
      open();
    }
    await models.caughtUp;
    expect(await after.obstacles()).toEqual([]);
  });

  it('names a read side that is stuck with the event that stopped it', async () => {
    const { metadata, ...bad } = event({ name: 5 }, 'Tallied');
    const { account_id: _, ...unnamed } = metadata;
    const stored = { ...bad, metadata: unnamed as EventMetadata };
    const { position } = await log.append('tally-1', [stored], 'no-stream');
    models.start();
    await stuck;
    const [obstacle, ...others] = await readiness.obstacles();
    expect(others).toEqual([]);
    expect(obstacle?.part).toBe('read models of tallies');
    expect(obstacle?.problem).toBe('stuck');
    expect(obstacle?.detail).toContain(
      `stuck: event ${bad.id} (Tallied version 1) in stream tally-1`,
    );
    expect(obstacle?.detail).toContain(`at position ${position} cannot be read`);
  });

  it('is there while accounts are parked', async () => {
    await log.append('tally-1', [event({ name: 5 }, 'Tallied')], 'no-stream');
    models.start();
    await models.caughtUp;
    expect(await readiness.obstacles()).toEqual([]);
    expect(models.state.parked).toBe(1);
  });

  it.each([
    ['is unavailable', Promise.reject(new Unavailable('event log', new Error('gone'))), /gone/],
    ['does not answer', never, /^no answer within \d+ ms$/],
  ])('names the event log when it %s', async (_, ping, detail) => {
    ping.catch(() => undefined);
    models.start();
    await models.caughtUp;
    const ready = readinessOf(logWith(log, { ping: () => ping }), store);
    const missing = await ready.obstacles();
    expect(missing).toEqual([
      { part: 'event log', problem: 'unavailable', detail: expect.stringMatching(detail) },
    ]);
  });

  it('names the read store when it is unavailable, besides what else is missing', async () => {
    const gone = () => Promise.reject(new Unavailable('read store', new Error('gone')));
    const without = storeWith(store, { ping: gone });
    const missing = await readinessOf(log, without).obstacles();
    expect(missing).toEqual([
      { part: 'read store', problem: 'unavailable', detail: 'read store unavailable: gone' },
      { part: 'read models of tallies', problem: 'not started', detail: 'not started' },
    ]);
  });
});
