import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withoutAnIndex } from '../../../../test/support/backends/backed-by-an-index.js';
import { CommandGate } from '../../../../test/support/backends/command-gate.js';
import { describeOnMongoDb } from '../../../../test/support/backends/on-mongodb.js';
import type { Command } from '../../../../test/support/backends/wire-messages.js';
import type { OpenedStore } from '../../../../test/contracts/opened-store.js';
import {
  fillingContract,
  sharedFillingContract,
} from '../../../../test/contracts/filling.contract.js';
import { sharedLeasesContract } from '../../../../test/contracts/read-store-leases.contract.js';
import { readStoreContract } from '../../../../test/contracts/read-store.contract.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

describeOnMongoDb('the read store in MongoDB', (server) => {
  const commands: Command[] = [];

  async function openDatabase(): Promise<OpenedStore> {
    const gate = await CommandGate.open(server().freshUri());
    let store = new MongoDbReadStore(gate.uri);
    const others: MongoDbReadStore[] = [];
    return {
      store,
      async another() {
        const other = new MongoDbReadStore(gate.uri);
        others.push(other);
        return other;
      },
      async reopen() {
        await store.close();
        store = new MongoDbReadStore(gate.uri);
        return store;
      },
      async dispose() {
        for (const one of [store, ...others]) await one.close();
        gate.close();
        commands.push(...gate.seen);
      },
    };
  }

  readStoreContract('MongoDB', openDatabase);
  describe('as a store on a server', () => {
    let opened: OpenedStore;
    beforeEach(async () => {
      opened = await openDatabase();
    });
    afterEach(() => opened.dispose());
    sharedLeasesContract(() => opened);
    describe('a first fold', () => {
      fillingContract(() => opened);
      sharedFillingContract(() => opened);
    });
  });

  it('sends no command that looks for documents without an index, in all of the above', () => {
    expect(commands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['find', 'update', 'delete', 'insert']),
    );
    expect([...new Set(withoutAnIndex(commands))]).toEqual([]);
  });
});
