import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoDbSimulator } from '../../../../test/support/backends/mongodb-simulator/mongodb-simulator.js';
import { inTime } from '../../waiting/in-time.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

const STANDALONE = { setName: undefined, hosts: undefined, me: undefined, primary: undefined };
const NO_MEMBER =
  /^read store unavailable: no server of MONGODB_URI is a member of a replica set with the name other$/;
const NO_TLS =
  /^read store unavailable: MONGODB_URI requires TLS, but the server does not answer with TLS/;
/** How long a probe waits. */
const PROBED_MS = 1_000;

describe('what a service that waits for MongoDB says', () => {
  let simulator: MongoDbSimulator;

  beforeEach(async () => {
    simulator = await MongoDbSimulator.open();
  });

  afterEach(() => simulator.close());

  const uriWith = (options: string): string =>
    simulator.uri('keyledger').replace('directConnection=true', options);

  /** Expects the cause of the first call, which the start logs, and of each later probe. */
  async function expectToSay(uri: string, cause: RegExp): Promise<void> {
    const store = new MongoDbReadStore(uri);
    try {
      await expect(store.ping()).rejects.toThrow(cause);
      await expect(inTime(store.ping(), PROBED_MS)).rejects.toThrow(cause);
    } finally {
      await store.close();
    }
  }

  it.each([
    ['the servers are of another set than replicaSet says', 'replicaSet=other', {}],
    ['the server is of another set', 'replicaSet=other&directConnection=true', {}],
    ['the server is of no set', 'replicaSet=other', STANDALONE],
  ])('is that %s', async (_, options, described) => {
    simulator.describedAs = described;
    await expectToSay(uriWith(options), NO_MEMBER);
  });

  it('is that a server does not answer in TLS', () => expectToSay(uriWith('tls=true'), NO_TLS));

  it('is that a server ends connections in TLS, as a real one does', async () => {
    const ending = createServer((socket) => socket.once('data', () => socket.destroy()));
    await new Promise<void>((listening) => ending.listen(0, '127.0.0.1', listening));
    const address = ending.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await expectToSay(`mongodb://127.0.0.1:${port}/keyledger?tls=true`, NO_TLS);
    ending.close();
  });

  it('is why there is no connection, until a server is there', async () => {
    const { port } = new URL(simulator.uri('keyledger'));
    simulator.close();
    const store = new MongoDbReadStore(`mongodb://127.0.0.1:${port}/keyledger?replicaSet=rs0`);
    try {
      await expect(store.ping()).rejects.toThrow(/connect ECONNREFUSED/);
      simulator = await MongoDbSimulator.open({ port: Number(port) });
      await store.ping();
    } finally {
      await store.close();
    }
  });
});
