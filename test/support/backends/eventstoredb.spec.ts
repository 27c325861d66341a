import { afterEach, expect, it } from '@jest/globals';
import { SimulatorProcess } from './eventstoredb-simulator/simulator-process.js';
import { startEventStoreDb } from './start-eventstoredb.js';

const before = process.env.TEST_EVENTSTOREDB;

afterEach(() => {
  if (before === undefined) delete process.env.TEST_EVENTSTOREDB;
  else process.env.TEST_EVENTSTOREDB = before;
});

it('a server that is named is the one tested against, and is left running', async () => {
  const named = await SimulatorProcess.start();
  try {
    process.env.TEST_EVENTSTOREDB = named.connectionString;
    for (const _file of [1, 2]) {
      const server = await startEventStoreDb();
      expect(server.connectionString).toBe(named.connectionString);
      expect(server.isSimulator).toBe(false);
      expect(() => server.kill()).toThrow('itOnSimulator');
      await server.stop();
    }
  } finally {
    await named.stop();
  }
});

it('a server that is named and not there fails the tests instead of being replaced', async () => {
  process.env.TEST_EVENTSTOREDB = 'esdb://127.0.0.1:1?tls=false';
  await expect(startEventStoreDb()).rejects.toThrow('TEST_EVENTSTOREDB');
});

it('a server that is named and does not answer fails the tests too', async () => {
  const named = await SimulatorProcess.start();
  try {
    process.env.TEST_EVENTSTOREDB = named.connectionString;
    named.freeze();
    await expect(startEventStoreDb({}, 200)).rejects.toThrow('TEST_EVENTSTOREDB');
  } finally {
    await named.stop();
  }
});
