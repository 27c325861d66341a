import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MongoDbDouble } from '../../../../test/support/backends/mongodb-double.js';
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

/** This many states ago the newest batch was not written yet. */
const OLD = 40;
const BATCHES = 6;

const isOfRows = ({ collection }: Command): boolean => collection?.startsWith('rows.') === true;
const isOfRecord = ({ collection }: Command): boolean => collection === 'namespaces';

describe('while a primary of a replica set steps down, the read store in MongoDB', () => {
  let double: MongoDbDouble;
  const opened: MongoDbReadStore[] = [];

  beforeEach(async () => {
    double = await MongoDbDouble.open();
  });

  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    double.close();
  });

  /** Opens the namespace like a new process. */
  function newProcess(): Namespace {
    const store = new MongoDbReadStore(double.uri('keyledger'));
    opened.push(store);
    return numbered(store);
  }

  const writesOfRows = (): Command[] =>
    double.seen.filter((command) => isOfRows(command) && command.name !== 'find');

  it('loses no update when documents come from an older snapshot of the new primary', async () => {
    await writeBatches(newProcess(), BATCHES - 1);
    double.staleness = (command) => (isOfRows(command) ? OLD : 0);
    await writeNext(newProcess(), BATCHES - 1);
    double.staleness = () => 0;
    expect(await everythingIn(newProcess())).toEqual(await expectedAfter(BATCHES));
  });

  it('shows one state when the record comes from an old primary and the documents from the new one', async () => {
    await writeBatches(newProcess(), BATCHES);
    double.staleness = (command) => (isOfRecord(command) ? OLD : 0);
    const seen = await everythingIn(newProcess());
    expect(Number(seen.checkpoint)).toBeLessThan(BATCHES);
    expect(Number(seen.checkpoint)).toBeGreaterThan(0);
    expect(seen).toEqual(await expectedAfter(Number(seen.checkpoint)));
  });

  it('shows one state when the documents come from an older snapshot of the new primary', async () => {
    await writeBatches(newProcess(), BATCHES);
    double.staleness = (command) => (isOfRows(command) ? OLD : 0);
    expect(await everythingIn(newProcess())).toEqual(await expectedAfter(BATCHES));
  });

  it('refuses a writer that has its record from an old primary, and changes nothing', async () => {
    await writeBatches(newProcess(), BATCHES);
    double.staleness = (command) => (isOfRecord(command) ? OLD : 0);
    const late = newProcess();
    const from = Number(await late.checkpoint());
    double.seen.length = 0;
    await expect(writeNext(late, from)).rejects.toBeInstanceOf(StaleCheckpointError);
    expect(writesOfRows()).toEqual([]);
    double.staleness = () => 0;
    expect(await everythingIn(late)).toEqual(await expectedAfter(BATCHES));
  });

  it('refuses a batch when what its fold read is no longer so, before it changes anything', async () => {
    const [late, other] = [newProcess(), newProcess()];
    await writeBatches(late, 2);
    const written = late.write(positionOf(2), positionOf(4), async (view) => {
      await view.get('totals', 'all');
      await writeNext(other, 2);
      double.seen.length = 0;
      const document = { batches: 'wrong' };
      return [{ collection: 'totals', key: 'all', document, isNew: false }];
    });
    await expect(written).rejects.toBeInstanceOf(StaleCheckpointError);
    expect(writesOfRows()).toEqual([]);
    expect(await everythingIn(other)).toEqual(await expectedAfter(3));
  });

  it('waits for no time that another session has seen, such as one of another server', async () => {
    await writeBatches(newProcess(), BATCHES);
    double.seen.length = 0;
    await newProcess().checkpoint();
    await newProcess().read(async () => undefined);
    const [one, first] = double.seen.filter(isOfRecord).map(({ body }) => body.readConcern);
    expect([one, first]).toEqual([{ level: 'majority' }, { level: 'majority' }]);
  });
});
