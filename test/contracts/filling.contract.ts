import { expect, it } from '@jest/globals';
import { EventRegistry } from '../../src/event-sourcing/event-log/event-registry.js';
import { SqliteEventLog } from '../../src/event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { ReadModel } from '../../src/event-sourcing/projections/read-model.js';
import type { ReadModels } from '../../src/event-sourcing/projections/read-models.js';
import type { ReadStore } from '../../src/event-sourcing/read-store/read-store.js';
import { Unavailable } from '../../src/kernel/errors.js';
import { eventually } from '../support/harness/eventually.js';
import { readModelsHere } from '../support/specs/read-models-here.js';
import { TALLIES } from '../support/specs/replicas.js';
import { namespaceWith, storeWith } from '../support/specs/store-with.js';
import { tallied, tallies } from '../support/specs/tally.js';
import { event, freshStream } from './opened-log.js';
import type { OpenedStore } from './opened-store.js';

const EVENTS = 1_000;
const EVENTS_OF_A_BATCH = 200;
const LIVE_WITHIN_MS = 15_000;

/**
 * Calls `use` with a function that makes read models over one log, which is longer than several
 * batches.
 */
async function withLog(
  use: (modelsOn: (store: ReadStore) => ReadModels) => Promise<void>,
): Promise<void> {
  const log = new SqliteEventLog(':memory:');
  const running: ReadModels[] = [];
  try {
    for (let count = 0; count < EVENTS; count++) {
      const tally = event({ name: `${count % 7}`, amount: 1 }, 'Tallied');
      await log.append(freshStream(), [tally], 'no-stream');
    }
    await use((store) => {
      const models = readModelsHere(TALLIES, {
        log,
        store,
        registry: new EventRegistry([tallied]),
      });
      running.push(models);
      return models;
    });
  } finally {
    for (const models of running) await models.stop();
    await log.close();
  }
}

/** A store whose third batch fails once. */
function failingOnce(store: ReadStore, onFault: () => unknown = () => undefined): ReadStore {
  let writes = 0;
  return storeWith(store, {
    namespace: (...args) => {
      const namespace = store.namespace(...args);
      return namespaceWith(namespace, {
        write: async (...batch) => {
          writes += 1;
          if (writes !== 3) return namespace.write(...batch);
          onFault();
          throw new Unavailable('read store', 'a test');
        },
      });
    },
  });
}

async function folded(models: ReadModels): Promise<{ events: number; total: unknown }> {
  await eventually('it is live', () => models.state.phase === 'live', LIVE_WITHIN_MS);
  const model = new ReadModel(tallies, models);
  const total = await model.readNow(null, (view) => view.get('totals', 'all'));
  return { events: models.state.eventsFolded, total };
}

/** The guarantees of a first fold on every read store. */
export function fillingContract(opened: () => OpenedStore): void {
  it('goes on after a fault where it was, and folds no event twice', async () => {
    await withLog(async (modelsOn) => {
      const models = modelsOn(failingOnce(opened().store));
      models.start();
      expect(await folded(models)).toEqual({ events: EVENTS, total: { sum: EVENTS } });
      expect(models.state.generation).toBe(1);
    });
  }, 30_000);
}

/** The guarantees of a first fold on a store that several processes share. */
export function sharedFillingContract(opened: () => OpenedStore): void {
  it('goes on under another leader where it was, and folds no event twice', async () => {
    await withLog(async (modelsOn) => {
      const stops: Promise<void>[] = [];
      const first: ReadModels = modelsOn(
        failingOnce(opened().store, () => stops.push(first.stop())),
      );
      first.start();
      await eventually('the first leader stops', () => stops.length > 0);
      const second = modelsOn(await opened().another());
      second.start();
      const rest = EVENTS - 2 * EVENTS_OF_A_BATCH;
      expect(await folded(second)).toEqual({ events: rest, total: { sum: EVENTS } });
      expect(second.state.generation).toBe(1);
    });
  }, 30_000);
}
