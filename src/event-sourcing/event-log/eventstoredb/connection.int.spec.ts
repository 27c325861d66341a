import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { jsonEvent } from '@eventstore/db-client';
import { describe, expect } from '@jest/globals';
import { SimulatorCluster } from '../../../../test/support/backends/eventstoredb-simulator/simulator-cluster.js';
import { itOnSimulator } from '../../../../test/support/backends/it-on-simulator.js';
import { Connection } from './connection.js';

/** How long the client waits for a member that does not name the leader. */
const GOSSIP_TIMEOUT_MS = 1_000;
/** The client asks members in random order, so nearly half of this many searches ask the frozen member first. */
const LOOKS = 12;
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
      () => new Connection(cluster.connectionString),
    );
    const times: number[] = [];
    try {
      for (const { client } of connections) {
        const began = performance.now();
        await client.appendToStream('looks', jsonEvent({ type: 'Looked', data: {} }));
        times.push(performance.now() - began);
      }
    } finally {
      await Promise.all(connections.map(({ client }) => client.dispose()));
      await cluster.stop();
    }
    expect(Math.max(...times)).toBeLessThan(GOSSIP_TIMEOUT_MS);
  });
});
