import { join } from 'node:path';
import { readStoreContract } from '../../../test/contracts/read-store.contract.js';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { SqliteReadStore } from './sqlite-read-store.js';

readStoreContract('SQLite', async () => {
  const directory = makeTempDirectory();
  const file = join(directory.path, 'read-models.db');
  let store = new SqliteReadStore(file);
  return {
    store,
    async reopen() {
      await store.close();
      store = new SqliteReadStore(file);
      return store;
    },
    async dispose() {
      await store.close();
      directory.remove();
    },
  };
});
