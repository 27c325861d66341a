import { afterEach, expect, it } from '@jest/globals';
import { CommandGate } from '../../../../test/support/backends/command-gate.js';
import { type Fate, FaultyGate } from '../../../../test/support/backends/faulty-gate.js';
import { describeOnMongoDb } from '../../../../test/support/backends/on-mongodb.js';
import type { Command } from '../../../../test/support/backends/wire-messages.js';
import { place, put, thing, things } from '../../../../test/contracts/opened-store.js';
import {
  everythingIn,
  expectedAfter,
  numbered,
  positionOf,
  writeBatches,
  writeNext,
} from '../../../../test/support/specs/numbered-batches.js';
import { Unavailable } from '../../../kernel/errors.js';
import { type Namespace, StaleCheckpointError } from '../read-store.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

/** The number of undisturbed batches before the interrupted one. */
const BEFORE = 3;
/**
 * The commands of the interrupted batch: the record and three reads, the record again, two updates
 * and an insert, and the commit.
 */
const STEPS = 9;
const GIVES_WAY_MS = 300;
/** A size in bytes. */
const MORE_THAN_A_DOCUMENT_HOLDS = 17 * 1024 * 1024;

const steps = Array.from({ length: STEPS }, (_, index) => index + 1);
const isOfAWrite = ({ name }: Command): boolean =>
  ['aggregate', 'find', 'insert', 'update', 'commitTransaction'].includes(name);

describeOnMongoDb('batches written to MongoDB', (server) => {
  const opened: { close(): void | Promise<void> }[] = [];

  afterEach(async () => {
    await Promise.all(opened.splice(0).map(async (one) => one.close()));
  });

  function namespaceAt(uri: string): Namespace {
    const store = new MongoDbReadStore(uri);
    opened.push(store);
    return numbered(store);
  }

  /** A writer behind a gate after some batches, and another process on the same database. */
  async function begin(): Promise<{ gate: CommandGate; writer: Namespace; other: Namespace }> {
    const uri = server().freshUri();
    const gate = await CommandGate.open(uri);
    opened.push(gate);
    const writer = namespaceAt(gate.uri);
    await writeBatches(writer, BEFORE);
    const other = namespaceAt(uri);
    await other.checkpoint();
    gate.seen.length = 0;
    return { gate, writer, other };
  }

  it('are so many commands as the tests below interrupt', async () => {
    const { gate, writer } = await begin();
    await writeNext(writer, BEFORE);
    expect(gate.seen.filter(isOfAWrite)).toHaveLength(STEPS);
  });

  it('are seen whole or not at all, whichever answer is the last that their writer does not live to see', async () => {
    const [without, following] = [await expectedAfter(BEFORE), await expectedAfter(BEFORE + 2)];
    const outcome = async (step: number): Promise<object> => {
      const { gate, writer, other } = await begin();
      gate.cutAt(isOfAWrite, step);
      const error: unknown = await writeNext(writer, BEFORE).catch((thrown: unknown) => thrown);
      const seen = await everythingIn(other);
      await writeBatches(other, BEFORE + 2);
      const later = await everythingIn(other);
      return { step, lost: error instanceof Unavailable, seen, later };
    };
    const expected = { lost: true, seen: without, later: following };
    const all = steps.map((step) => ({ step, ...expected }));
    all[STEPS - 1] = { step: STEPS, ...expected, seen: await expectedAfter(BEFORE + 1) };
    expect(await Promise.all(steps.map(outcome))).toEqual(all);
  });

  it.each(steps)(
    'take no harm from a writer that was stopped before command %i, overtaken, and goes on',
    async (step) => {
      const { gate, writer, other } = await begin();
      const held = gate.hold(isOfAWrite, step);
      const written = writeNext(writer, BEFORE).catch((thrown: unknown) => thrown);
      const { release } = await held;
      await writeBatches(other, BEFORE + 2);
      const before = await everythingIn(other);
      release();
      expect(await written).toBeInstanceOf(StaleCheckpointError);
      expect(before).toEqual(await expectedAfter(BEFORE + 2));
      expect(await everythingIn(other)).toEqual(before);
      await writeBatches(other, BEFORE + 4);
      expect(await everythingIn(other)).toEqual(await expectedAfter(BEFORE + 4));
    },
  );

  it('are begun again by a writer whose own batch came to nothing', async () => {
    const { writer } = await begin();
    const document = { text: 'x'.repeat(MORE_THAN_A_DOCUMENT_HOLDS) };
    const another = { collection: 'totals', key: 'another', document, isNew: true };
    const tooLarge = writer.write(positionOf(BEFORE), positionOf(BEFORE + 1), [another]);
    await expect(tooLarge).rejects.toThrow();
    await writeNext(writer, BEFORE);
    expect(await everythingIn(writer)).toEqual(await expectedAfter(BEFORE + 1));
  });

  it('that were cut off change no document of a later batch, however late their writes come', async () => {
    const uri = server().freshUri();
    const gate = await FaultyGate.open(uri);
    opened.push(gate);
    const left = new MongoDbReadStore(gate.uri);
    const next = new MongoDbReadStore(uri);
    opened.push(left, next);
    await put(things(left), thing('ada', 0, { sum: 0 }));
    const isOfDocuments = ({ collection }: Command): boolean =>
      collection?.startsWith('documents.') === true;
    gate.fatesOf = (command, writes) =>
      isOfDocuments(command) && command.name === 'update'
        ? Array<Fate>(writes).fill('late')
        : undefined;
    const changed = thing('ada', 0, { sum: 1 });
    // The first of two events changes the document, the second does not.
    const both = things(left).write(place(1), place(3), [changed]);
    await expect(both).rejects.toBeInstanceOf(Unavailable);
    expect(gate.lateWrites).toBeGreaterThan(0);
    await things(next).write(place(1), place(2), [changed]);
    while (gate.lateWrites > 0) await gate.deliver(0);
    await things(next).write(place(2), place(3), []);
    const seen = await things(next).read((view) => view.scan('things', '', 9));
    expect(seen).toEqual([{ key: 'ada/0', document: changed.document }]);
  });

  it('are written once each when several processes write them at the same time', async () => {
    const uri = server().freshUri();
    const writers = [1, 2, 3].map(() => namespaceAt(uri));
    // No lease keeps the writers apart. A refused writer waits, each for a different time.
    const writing = writers.map((writer, nth) => writeBatches(writer, 12, nth * GIVES_WAY_MS));
    await Promise.all(writing);
    for (const writer of writers)
      expect(await everythingIn(writer)).toEqual(await expectedAfter(12));
  });

  it('are seen one by one by those who read all the while', async () => {
    const uri = server().freshUri();
    const [writer, ...readers] = [namespaceAt(uri), namespaceAt(uri), namespaceAt(uri)];
    await writeBatches(writer, 1);
    const writing = new AbortController();
    const reading = readers.map(async (namespace) => {
      const seen = new Set<number>();
      while (!writing.signal.aborted) {
        const everything = await everythingIn(namespace);
        const batch = Number(everything.checkpoint);
        expect(everything).toEqual(await expectedAfter(batch));
        seen.add(batch);
      }
      return seen.size;
    });
    await writeBatches(writer, 20);
    writing.abort();
    expect(Math.max(...(await Promise.all(reading)))).toBeGreaterThan(3);
  });
});
