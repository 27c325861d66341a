import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import {
  CLASSIC,
  event,
} from '../../../../test/support/backends/eventstoredb-simulator/real-client.js';
import { SimulatorCluster } from '../../../../test/support/backends/eventstoredb-simulator/simulator-cluster.js';
import { itOnSimulator } from '../../../../test/support/backends/it-on-simulator.js';
import { startEventStoreDb } from '../../../../test/support/backends/start-eventstoredb.js';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { inTime } from '../../waiting/in-time.js';
import { Connection, credentialsOf } from './connection.js';
import { EventStoreDbEventLog } from './eventstoredb-event-log.js';
import { StreamedCall } from './streamed-call.js';

/**
 * How long the client waits for a member that does not name the leader, in seconds: for longer than
 * the machine is slow.
 */
const GOSSIP_TIMEOUT = 20;
/** The client asks members at random: nearly half of these searches ask the frozen one first. */
const LOOKS = 12;
const PATIENCE_MS = 10_000;
/** How long a probe waits. */
const PROBED_MS = 1_000;
/** How long a start waits before it says why: less than a call, which takes 8 s. */
const DISCOVERED_MS = 4_000;
const cert = readFileSync('test/support/tls/certificate.pem');
const key = readFileSync('test/support/tls/key.pem');
const LOADER = './test/support/backends/eventstoredb-simulator/typescript.mjs';

describe('a connection to a cluster', () => {
  itOnSimulator(
    'that is lost while its leader is looked for fails calls, not the process',
    async () => {
      const program = ['--import', LOADER, 'test/support/backends/lose-cluster.ts'];
      const { stdout } = await promisify(execFile)(process.execPath, program);
      expect(stdout).toBe('6 failed');
    },
  );

  itOnSimulator('finds the leader at once though a member is frozen', async () => {
    const cluster = await SimulatorCluster.start();
    cluster.freezeLeader();
    await cluster.elect(0);
    const connections = Array.from(
      { length: LOOKS },
      () => new Connection(`${cluster.connectionString}&gossipTimeout=${GOSSIP_TIMEOUT}`),
    );
    try {
      for (const connection of connections) {
        // A client that waited for the frozen member would not find the leader in time.
        const client = await connection.leader(PATIENCE_MS);
        await client.appendToStream('looks', event('Looked'), CLASSIC);
      }
    } finally {
      await Promise.all(connections.map((connection) => connection.close()));
      await cluster.stop();
    }
  });
});

describe('a connection to a server', () => {
  it('is made anew once for all calls that began before, and keeps calls under way', async () => {
    const server = await startEventStoreDb();
    let replaced = 0;
    const connection = new Connection(server.connectionString, () => (replaced += 1));
    const first = await connection.leader(PATIENCE_MS);
    const began = performance.now();
    // Without credentials the client first asks for the server's features, before the append.
    const credentials = credentialsOf(server.connectionString);
    const append = (client: EventStoreDBClient): Promise<unknown> =>
      client.appendToStream('made-anew', jsonEvent({ type: 'Made', data: {} }), { credentials });
    const underWay = append(first);
    for (let call = 0; call < 10; call += 1) connection.reportSilence(began);
    const second = await connection.leader(PATIENCE_MS);
    connection.reportSilence(began);
    expect(second).not.toBe(first);
    expect(await connection.leader(PATIENCE_MS)).toBe(second);
    expect(replaced).toBe(1);
    await Promise.all([underWay, append(second)]);
    connection.reportSilence(performance.now());
    expect(await connection.leader(PATIENCE_MS)).not.toBe(second);
    await eventually('another replacement', () => replaced === 2);
    await connection.close();
    await server.stop();
  });

  itOnSimulator('that is closed fails the reads under way, and answers none of them', async () => {
    const server = await startEventStoreDb();
    const connection = new Connection(server.connectionString);
    const client = await connection.leader(PATIENCE_MS);
    await server.inject({ on: 'read', effect: 'hang' });
    const read = client.readStream('any');
    const arrived = new StreamedCall(read).waitForEvent(PATIENCE_MS);
    await once(read, 'pipe');
    const failed = expect(arrived).rejects.toMatchObject({
      name: 'Silence',
      message: 'the call was cut off',
    });
    await connection.close();
    await failed;
    await server.stop();
  });
});

describe('a probe of a server that cannot be reached', () => {
  it.each([
    ['does not listen', 'tls=false', 'ECONNREFUSED'],
    ['has an unknown certificate', 'tls=true', 'self-signed certificate'],
    ['does not speak TLS', 'tlsCAFile=test/support/tls/certificate.pem', 'SSL routines'],
  ])('says why, before a probe is given up, when it %s', async (what, options, cause) => {
    const plain = createTcpServer((socket) => socket.end('no TLS'));
    const server = what === 'does not speak TLS' ? plain : createTlsServer({ cert, key });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    if (what === 'does not listen') server.close();
    const log = new EventStoreDbEventLog(`esdb://127.0.0.1:${port}?${options}`);
    try {
      await expect(inTime(log.ping(), PROBED_MS)).rejects.toMatchObject({
        name: 'Unavailable',
        problem: expect.stringContaining(cause),
      });
    } finally {
      await log.close();
      server.close();
    }
  });
});

it('a probe of a cluster that cannot be reached says so before a call would', async () => {
  // The client says it after as long as by its defaults, but uses a fifth of the processor's time.
  const attempts = 'maxDiscoverAttempts=2&discoveryInterval=600';
  const log = new EventStoreDbEventLog(`esdb://127.0.0.1:1,127.0.0.1:2?tls=false&${attempts}`);
  try {
    await expect(inTime(log.ping(), DISCOVERED_MS)).rejects.toMatchObject({
      name: 'Unavailable',
      problem: expect.stringContaining('Failed to discover'),
    });
  } finally {
    await log.close();
  }
});

describe('a connection string', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it.each([
    ['esdb://127.0.0.1:1?tls=false', 10_000],
    ['esdb://127.0.0.1:1?tls=false&keepAliveInterval=20000', 10_000],
    ['esdb://127.0.0.1:1?tls=false&keep_alive_timeout=5000', 5_000],
    ['esdb://127.0.0.1:1?tls=false&keepAliveTimeout=-1', 2 ** 31 - 1_000],
  ])('%s keeps its interval of pings, and differs for each client', async (given, least) => {
    const made = jest.spyOn(EventStoreDBClient, 'connectionString');
    const connections = [new Connection(given), new Connection(given)];
    const timeouts = made.mock.calls.map(([string]) => {
      const added = String(string).slice(given.length);
      const [, timeoutMs] = /^&keepAliveTimeout=(\d+)&gossipTimeout=1$/.exec(added) ?? [];
      return Number(timeoutMs);
    });
    for (const timeoutMs of timeouts) {
      expect(timeoutMs).toBeGreaterThan(least);
      expect(timeoutMs).toBeLessThanOrEqual(least + 1_000);
    }
    expect(new Set(timeouts).size).toBe(2);
    await Promise.all(connections.map((connection) => connection.close()));
  });
});
