import { afterAll, beforeAll, jest } from '@jest/globals';
import { startEventStoreDb } from '../../../../test/support/backends/start-eventstoredb.js';
import type { EventStoreDbServer } from '../../../../test/support/backends/eventstoredb-server.js';
import { eventLogContract } from '../../../../test/contracts/event-log.contract.js';
import { EventStoreDbEventLog } from './eventstoredb-event-log.js';

/** Sixty-four appenders to one stream read and append some two thousand times. */
jest.setTimeout(120_000);

let server: EventStoreDbServer;

beforeAll(async () => {
  server = await startEventStoreDb();
});

afterAll(async () => {
  await server.stop();
});

eventLogContract('EventStoreDB', async () => {
  let log = new EventStoreDbEventLog(server.connectionString);
  return {
    get log() {
      return log;
    },
    async reopen() {
      await log.close();
      log = new EventStoreDbEventLog(server.connectionString);
    },
    async dispose() {
      await log.close();
    },
  };
});
