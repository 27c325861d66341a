import { setImmediate as nextTurn } from 'node:timers/promises';
import { jsonEvent } from '@eventstore/db-client';
import {
  Connection,
  credentialsOf,
} from '../../../src/event-sourcing/event-log/eventstoredb/connection.js';
import { SimulatorProcess } from './eventstoredb-simulator/simulator-process.js';

// A separate program, because the fault would end the process of the test: calls fail while another
// call, which came after a fault, searches for the leader and does not find it.

const server = await SimulatorProcess.start();
const cluster = server.connectionString.replace('esdb:', 'esdb+discover:');
const connection = new Connection(`${cluster}&maxDiscoverAttempts=2`);
const client = await connection.leader(5_000);
const credentials = credentialsOf(cluster);

async function append(): Promise<unknown> {
  const event = jsonEvent({ type: 'Happened', data: {} });
  return client.appendToStream('any', event, { credentials }).catch((error: unknown) => error);
}

await append();
await server.inject({ on: 'append', times: 5, effect: 'delay', ms: 60_000 });
await server.inject({ on: 'append', times: 1, effect: 'fail', failure: 'not-ready' });
const slow = Array.from({ length: 5 }, append);
await append();
server.freeze();
const looking = append();
await nextTurn();
await server.kill();
const outcomes = await Promise.all([...slow, looking]);
await connection.close();
await server.stop();
process.stdout.write(`${outcomes.filter((outcome) => outcome instanceof Error).length} failed`);
