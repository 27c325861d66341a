import { expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { CommandGate } from './command-gate.js';
import { MongoDbSimulator } from './mongodb-simulator/mongodb-simulator.js';

it('stands before the primary of a URI with several hosts', async () => {
  const simulator = await MongoDbSimulator.open();
  const several = simulator.uriOfTheSet('some').replace('//', '//127.0.0.1:1,');
  const gate = await CommandGate.open(several);
  const client = await MongoClient.connect(gate.uri);
  try {
    await client.db().command({ ping: 1 });
    expect(client.db().databaseName).toBe('some');
    expect(gate.seen.map(({ name }) => name)).toContain('ping');
  } finally {
    await client.close();
    gate.close();
    simulator.close();
  }
});
