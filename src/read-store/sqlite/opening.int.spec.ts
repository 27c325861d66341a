import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { SqliteReadStore } from './sqlite-read-store.js';

const definition = { name: 'things', version: 1, collections: { things: { indexes: {} } } };

describe('The files of read models', () => {
  let directory: ReturnType<typeof makeTempDirectory>;

  beforeEach(() => {
    directory = makeTempDirectory();
  });

  afterEach(() => {
    directory.remove();
  });

  async function begin(): Promise<void> {
    const store = new SqliteReadStore(directory.path);
    store.readModel(definition);
    await store.close();
  }

  it.each(['catalog.db', 'things.1.db'])(
    'are named when they are no databases: %s',
    async (name) => {
      await begin();
      const file = join(directory.path, name);
      writeFileSync(file, 'x'.repeat(8_192));
      const opened = (): void => {
        const store = new SqliteReadStore(directory.path);
        try {
          store.readModel(definition);
        } finally {
          void store.close();
        }
      };
      expect(opened).toThrow(`${file} cannot be opened (it is folded anew when it is deleted`);
    },
  );

  it('are named when they cannot be made, with no such advice', () => {
    const file = join(directory.path, 'file');
    writeFileSync(file, '');
    expect(() => new SqliteReadStore(join(file, 'read-models'))).toThrow(
      /read models in .*file\/read-models cannot be opened: .*ENOTDIR/,
    );
  });

  it('are missed when somebody deletes or replaces them under who has them open', async () => {
    const store = new SqliteReadStore(directory.path);
    await store.ping();
    rmSync(join(directory.path, 'catalog.db'));
    await expect(store.ping()).rejects.toThrow('was deleted or replaced meanwhile; restart');
    await begin();
    await expect(store.ping()).rejects.toThrow('was deleted or replaced meanwhile; restart');
    await store.close();
  });
});
