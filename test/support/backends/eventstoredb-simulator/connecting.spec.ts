import type { EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { CLASSIC, Clients, event, follow, freshStream, take } from './real-client.js';
import { SimulatorProcess } from './simulator-process.js';

const CALLS_OF_A_CONNECTION = 100;

let server: SimulatorProcess;
const clients = new Clients();

beforeAll(async () => {
  server = await SimulatorProcess.start();
});

afterAll(async () => {
  await clients.dispose();
  await server.stop();
});

async function appendsAndReads(client: EventStoreDBClient): Promise<void> {
  const stream = freshStream();
  await client.appendToStream(stream, event(), CLASSIC);
  expect(await take(client.readStream(stream))).toHaveLength(1);
}

it('a client that discovers a cluster finds the server as its leader', async () => {
  const connectionString = `esdb+discover://127.0.0.1:${server.port}?tls=false&nodePreference=leader`;
  await appendsAndReads(clients.connect({ connectionString }));
});

it('a connection has 100 calls at a time, and the next one waits for the end of another', async () => {
  const client = clients.connect(server, 'keepAliveInterval=10001');
  const subscribe = async (stream: string) => {
    const subscription = follow(client, stream);
    await once(subscription.resume(), 'caughtUp');
    return subscription;
  };
  // The server ends the call. On Node 22.23.3 and 24.21.0 a server counts a call that the client
  // ended for a moment longer.
  const ending = freshStream();
  await server.inject({ on: 'subscribe', times: 1, effect: 'end', afterEvents: 1 });
  await subscribe(ending);
  const others = Array.from({ length: CALLS_OF_A_CONNECTION - 1 }, () => subscribe(freshStream()));
  const subscriptions = await Promise.all(others);
  let answered = false;
  const append = client.appendToStream(freshStream(), event(), CLASSIC);
  const waiting = append.then(() => (answered = true));
  await appendsAndReads(clients.connect(server));
  expect(answered).toBe(false);
  await clients.connect(server).appendToStream(ending, event(), CLASSIC);
  await waiting;
  await Promise.all(subscriptions.map((subscription) => subscription.unsubscribe()));
});

it('one message of 16 MiB is refused', async () => {
  const client = clients.connect(server);
  const large = event('Large', { text: 'x'.repeat(16 * 1024 * 1024) });
  await expect(client.appendToStream(freshStream(), large, CLASSIC)).rejects.toMatchObject({
    code: 8,
  });
});
