import { writeFolded } from '../../../../test/contracts/opened-store.js';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoDbSimulator } from '../../../../test/support/backends/mongodb-simulator/mongodb-simulator.js';
import type { Command } from '../../../../test/support/backends/wire-messages.js';
import {
  everythingIn,
  expectedAfter,
  numbered,
  positionOf,
  writeBatches,
  writeNext,
} from '../../../../test/support/specs/numbered-batches.js';
import { type Namespace, StaleCheckpointError } from '../read-store.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

/** This many commits ago the newest batch was not written yet. */
const OLD = 2;
const BATCHES = 6;

const isOfDocuments = ({ collection }: Command): boolean =>
  collection?.startsWith('documents.') === true;

describe('while a primary of a replica set steps down, the read store in MongoDB', () => {
  let simulator: MongoDbSimulator;
  const opened: MongoDbReadStore[] = [];

  beforeEach(async () => {
    simulator = await MongoDbSimulator.open();
  });

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    simulator.close();
  });

  /** Opens the namespace like a new process. */
  function newProcess(): Namespace {
    const store = new MongoDbReadStore(simulator.uri('keyledger'));
    opened.push(store);
    return numbered(store);
  }

  const writes = (): Command[] =>
    simulator.seen.filter((command) => isOfDocuments(command) && command.name !== 'find');

  it('shows one earlier state when an old primary answers', async () => {
    await writeBatches(newProcess(), BATCHES);
    simulator.staleness = () => OLD;
    const seen = await everythingIn(newProcess());
    expect(Number(seen.checkpoint)).toBeLessThan(BATCHES);
    expect(Number(seen.checkpoint)).toBeGreaterThan(0);
    expect(seen).toEqual(await expectedAfter(Number(seen.checkpoint)));
  });

  it('shows one state when batches are written between two reads of a view', async () => {
    const writer = newProcess();
    await writeBatches(writer, 2);
    const reader = newProcess();
    const [before, after] = await reader.read(async (view) => {
      const first = await view.get('totals', 'all');
      await writeBatches(writer, BATCHES);
      return [first, await view.get('totals', 'all')];
    });
    expect(after).toEqual(before);
    expect(await everythingIn(reader)).toEqual(await expectedAfter(BATCHES));
  });

  it('refuses a writer that has its state from an old primary, and changes nothing', async () => {
    await writeBatches(newProcess(), BATCHES);
    simulator.staleness = () => OLD;
    const late = newProcess();
    const from = Number(await late.checkpoint());
    simulator.seen.length = 0;
    await expect(writeNext(late, from)).rejects.toBeInstanceOf(StaleCheckpointError);
    expect(writes()).toEqual([]);
    simulator.staleness = () => 0;
    expect(await everythingIn(late)).toEqual(await expectedAfter(BATCHES));
  });

  it('refuses a batch when what its fold read is no longer so, before it changes anything', async () => {
    const [late, other] = [newProcess(), newProcess()];
    await writeBatches(late, 2);
    const written = writeFolded(late, positionOf(2), positionOf(4), async (view) => {
      await view.get('totals', 'all');
      await writeNext(other, 2);
      simulator.seen.length = 0;
      const document = { batches: 'wrong' };
      return [{ collection: 'totals', key: 'all', document, isNew: false }];
    });
    await expect(written).rejects.toBeInstanceOf(StaleCheckpointError);
    expect(writes()).toEqual([]);
    expect(await everythingIn(other)).toEqual(await expectedAfter(3));
  });

  it('waits for no time that another session has seen, such as one of another server', async () => {
    await writeBatches(newProcess(), BATCHES);
    simulator.seen.length = 0;
    await newProcess().checkpoint();
    await newProcess().read(async () => undefined);
    const asked = simulator.seen.filter(({ collection }) => collection === 'namespaces');
    expect(asked.map(({ body }) => body.readConcern)).toEqual([
      { level: 'majority' },
      { level: 'snapshot' },
    ]);
  });
});
