import { expect, it, jest } from '@jest/globals';
import { withoutAnIndex } from '../../../test/backends/backed-by-an-index.js';
import { type Command, CommandGate } from '../../../test/backends/command-gate.js';
import { describeOnMongoDb } from '../../../test/backends/on-mongodb.js';
import { definition, type OpenedStore, thing } from '../../../test/contracts/opened-store.js';
import { continuingContract } from '../../../test/contracts/read-store-continuing.contract.js';
import { generationsContract } from '../../../test/contracts/read-store-generations.contract.js';
import { readStoreContract } from '../../../test/contracts/read-store.contract.js';
import { Unavailable } from '../../kernel/errors.js';
import { START } from '../../kernel/position.js';
import type { DocumentWrite } from '../read-store.js';
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
  generationsContract('MongoDB', openDatabase);
  continuingContract('MongoDB', openDatabase);

  it('takes in several calls a batch that is long, part of which is there already, as a whole', async () => {
    const opened = await openDatabase();
    const model = opened.store.readModel(definition());
    const batch = (from: number, tries: number): DocumentWrite[] =>
      Array.from({ length: 250 }, (_, index) => thing('ada', from + index, { tries }));
    await model.write(batch(0, 1), START, '1');
    await model.write(batch(125, 2), '1', '2');
    const range = { index: 'by_number', equals: { owner: 'ada' }, limit: 1_000 };
    const stored = await model.find<{ number: number; tries: number }>('things', range);
    await opened.dispose();
    expect(stored.map(({ number, tries }) => [number, tries])).toEqual(
      Array.from({ length: 375 }, (_, number) => [number, number < 125 ? 1 : 2]),
    );
  });

  it('reads nothing more for whoever was refused because a snapshot took too long', async () => {
    const opened = await openDatabase();
    const model = opened.store.readModel(definition());
    await model.write([thing('ada', 0)], START, '1');
    const now = performance.now.bind(performance);
    let begun = 0;
    const late = model.snapshot(async (view) => {
      begun += 1;
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 10_001);
      await view.get('things', 'ada/0').finally(() => clock.mockRestore());
    });
    await expect(late).rejects.toBeInstanceOf(Unavailable);
    await opened.dispose();
    expect(begun).toBe(1);
  });

  it('sends no command that looks for documents without an index, in all of the above', () => {
    expect(commands.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['find', 'update', 'delete', 'findAndModify']),
    );
    expect([...new Set(withoutAnIndex(commands))]).toEqual([]);
  });
});
