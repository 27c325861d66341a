import { describeOnMongoDb } from '../../../test/backends/mongodb.js';
import { generationsContract } from '../../../test/contracts/read-store-generations.contract.js';
import {
  type OpenedStore,
  readStoreContract,
} from '../../../test/contracts/read-store.contract.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

async function openDatabase(uri: string): Promise<OpenedStore> {
  let store = new MongoDbReadStore(uri);
  const others: MongoDbReadStore[] = [];
  return {
    store,
    async another() {
      const other = new MongoDbReadStore(uri);
      others.push(other);
      return other;
    },
    async reopen() {
      await store.close();
      store = new MongoDbReadStore(uri);
      return store;
    },
    async dispose() {
      for (const one of [store, ...others]) await one.close();
    },
  };
}

describeOnMongoDb('the read store in MongoDB', (server) => {
  readStoreContract('MongoDB', () => openDatabase(server().freshUri()));
  generationsContract('MongoDB', () => openDatabase(server().freshUri()));
});
