import { afterEach, beforeEach, describe, expect } from '@jest/globals';
import { SimulatorProcess } from '../../../../test/support/backends/eventstoredb-simulator/simulator-process.js';
import { itOnSimulator } from '../../../../test/support/backends/it-on-simulator.js';
import { LoopbackProxy } from '../../../../test/support/backends/loopback-proxy.js';
import { event, freshStream } from '../../../../test/contracts/opened-log.js';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { Connection } from './connection.js';
import { EventStoreDbEventLog } from './eventstoredb-event-log.js';

/** The delay of each answer. One attempt may take 3 s. */
const LATE_MS = 1_000;
/** The most appends and reads that a log makes at once. */
const [APPENDS, READS] = [48, 32];
/** How long a search may take on a busy machine. */
const PATIENCE_MS = 10_000;
/** An attempt without an answer, a new connection, and an allowance for a slow machine. */
const CONNECTED_ANEW_MS = 6_000;
/** Three tries, and a connection that is being closed. */
const MOST_CONNECTIONS = 4;

describe('a log server', () => {
  let server: SimulatorProcess;
  let proxy: LoopbackProxy;
  let connectionString: string;
  const opened: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    server = await SimulatorProcess.start();
    proxy = await LoopbackProxy.to(server.port);
    connectionString = `esdb://127.0.0.1:${proxy.port}?tls=false`;
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    await proxy.close();
    await server.stop();
  });

  function open(prefix?: string): EventStoreDbEventLog {
    const log = new EventStoreDbEventLog(connectionString, prefix);
    opened.push(log);
    return log;
  }

  async function answerLate(ms: number): Promise<void> {
    for (const on of ['append', 'read'] as const) await server.inject({ on, effect: 'delay', ms });
  }

  const write = (log: EventStoreDbEventLog) => log.append(freshStream(), [event()], 'no-stream');

  itOnSimulator('whose connections are forgotten on the way is reached by new ones', async () => {
    const log = open();
    await write(log);
    proxy.forget();
    const began = performance.now();
    await Promise.all([write(log), log.readStream(freshStream())]);
    expect(performance.now() - began).toBeLessThan(CONNECTED_ANEW_MS);
  });

  itOnSimulator('that is slow answers all calls of several logs', async () => {
    const logs = [open(), open('usage')];
    await Promise.all(logs.map(write));
    await answerLate(LATE_MS);
    const calls = logs.flatMap((log) => [
      ...Array.from({ length: APPENDS }, () => write(log)),
      ...Array.from({ length: READS }, () => log.readStream(freshStream())),
    ]);
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  });

  itOnSimulator('that is slow is found, by a few connections', async () => {
    await answerLate(LATE_MS);
    const connection = new Connection(connectionString);
    opened.push(connection);
    await connection.leader(PATIENCE_MS);
    expect(proxy.most).toBeLessThanOrEqual(MOST_CONNECTIONS);
  });

  itOnSimulator('that is frozen is asked by few connections, and found once it wakes', async () => {
    await server.inject({ on: 'read', effect: 'hang' });
    const connection = new Connection(connectionString);
    opened.push(connection);
    const found = connection.leader(30_000);
    await eventually('the tenth connection', () => proxy.made >= 10, 15_000);
    expect(proxy.most).toBeLessThanOrEqual(MOST_CONNECTIONS);
    await server.heal();
    const healed = performance.now();
    await found;
    expect(performance.now() - healed).toBeLessThan(2_000);
  });
});
