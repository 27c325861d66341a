import { expect } from '@jest/globals';
import { SimulatorProcess } from '../../../../test/support/backends/eventstoredb-simulator/simulator-process.js';
import { itOnSimulator } from '../../../../test/support/backends/it-on-simulator.js';
import { event, freshStream } from '../../../../test/contracts/opened-log.js';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { readModelsHere } from '../../../../test/support/specs/read-models-here.js';
import { TALLIES } from '../../../../test/support/specs/replicas.js';
import { tallied } from '../../../../test/support/specs/tally.js';
import { SqliteReadStore } from '../../read-store/sqlite/sqlite-read-store.js';
import { EventRegistry } from '../event-registry.js';
import { EventStoreDbEventLog } from './eventstoredb-event-log.js';

const STALLED_WITHIN_MS = 15_000;

itOnSimulator(
  'a subscription that was given up as stalled is closed at the server',
  async () => {
    const server = await SimulatorProcess.start();
    const log = new EventStoreDbEventLog(server.connectionString);
    const store = new SqliteReadStore(':memory:');
    const registry = new EventRegistry([tallied]);
    const models = readModelsHere(TALLIES, { log, registry, store });
    const append = async (): Promise<string> => {
      const tally = event({ name: 'a', amount: 1 }, 'Tallied');
      return (await log.append(freshStream(), [tally], 'no-stream')).position;
    };
    try {
      models.start();
      expect(await models.progress.waitFor(await append(), STALLED_WITHIN_MS)).toBe(true);
      await server.inject({ on: 'subscribe', effect: 'silence' });
      const missed = await append();
      expect(await models.progress.waitFor(missed, STALLED_WITHIN_MS)).toBe(true);
      const open = async (): Promise<number> => (await server.counts()).openSubscriptions;
      await eventually('only the new one is open', async () => (await open()) === 1);
    } finally {
      await models.stop();
      await store.close();
      await log.close();
      await server.stop();
    }
  },
  60_000,
);
