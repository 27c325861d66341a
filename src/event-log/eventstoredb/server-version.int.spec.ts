import { afterEach, describe, expect, it } from '@jest/globals';
import { SimulatorCluster } from '../../../test/backends/eventstoredb-simulator/simulator-cluster.js';
import { SimulatorProcess } from '../../../test/backends/eventstoredb-simulator/simulator-process.js';
import { startEventStoreDb } from '../../../test/backends/start-eventstoredb.js';
import { Unavailable } from '../../kernel/errors.js';
import { askServerVersion, TRIED_VERSIONS } from './server-version.js';

const SHORT_MS = 300;

describe('the version of a log server', () => {
  let server: { stop(): Promise<void> } | undefined;

  async function started(version?: string | null): Promise<SimulatorProcess> {
    const simulator = await SimulatorProcess.start(version === undefined ? {} : { version });
    server = simulator;
    return simulator;
  }

  afterEach(async () => {
    await server?.stop();
  });

  it('has three numbers on every server that the suites run against', async () => {
    const given = await startEventStoreDb();
    server = given;
    const { version } = await askServerVersion(given.connectionString);
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('is what the server tells, and one that was tried is known as such', async () => {
    const { connectionString } = await started();
    const told = await askServerVersion(connectionString);
    expect(told).toEqual({ version: '24.10.4', isTried: true });
    expect(TRIED_VERSIONS).toContain(told.version);
  });

  it('that was never tried is known as such', async () => {
    const { connectionString } = await started('26.0.0');
    expect(await askServerVersion(connectionString)).toEqual({ version: '26.0.0', isTried: false });
  });

  it('is unknown where the server does not know the call', async () => {
    const { connectionString } = await started(null);
    expect(await askServerVersion(connectionString)).toEqual({ version: null, isTried: false });
  });

  it('is unknown where the server tells a text that is no version', async () => {
    for (const version of ['', '24.10\n{"level":60}', 'x'.repeat(65)]) {
      const simulator = await started(version);
      const told = await askServerVersion(simulator.connectionString);
      expect(told).toEqual({ version: null, isTried: false });
      await simulator.stop();
    }
  });

  it('is that of the leader of a cluster', async () => {
    const cluster = await SimulatorCluster.start();
    server = cluster;
    const told = await askServerVersion(cluster.connectionString);
    expect(told).toEqual({ version: '24.10.4', isTried: true });
  });

  it('is asked again at each call, and in bounded time', async () => {
    const simulator = await started();
    await simulator.inject({ on: 'features', times: 1, effect: 'hang' });
    const late = askServerVersion(simulator.connectionString, SHORT_MS);
    await expect(late).rejects.toBeInstanceOf(Unavailable);
    await expect(late).rejects.toThrow(`no answer within ${SHORT_MS} ms`);
    expect(await askServerVersion(simulator.connectionString)).toMatchObject({ isTried: true });
  });

  it('cannot be asked of a frozen cluster, nor of a server that is gone', async () => {
    const simulator = await started();
    simulator.freeze();
    const [, port = ''] = /:(\d+)\?/.exec(simulator.connectionString) ?? [];
    const cluster = `esdb://127.0.0.1:${port},127.0.0.1:${port}?tls=false`;
    for (const connection of [simulator.connectionString, cluster])
      await expect(askServerVersion(connection, SHORT_MS)).rejects.toBeInstanceOf(Unavailable);
    await simulator.kill();
    const gone = askServerVersion(simulator.connectionString);
    await expect(gone).rejects.toThrow('No connection established');
  });
});
