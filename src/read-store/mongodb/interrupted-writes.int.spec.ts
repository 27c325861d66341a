import { afterEach, expect, it } from '@jest/globals';
import { type Command, CommandGate } from '../../../test/backends/command-gate.js';
import { describeOnMongoDb } from '../../../test/backends/on-mongodb.js';
import {
  type Everything,
  everythingIn,
  numbered,
  positionOf,
  writeBatches,
  writesOf,
} from '../../../test/specs/numbered-batches.js';
import { Unavailable } from '../../kernel/errors.js';
import { type ReadModel, StaleCheckpointError } from '../read-store.js';
import { SqliteReadStore } from '../sqlite/sqlite-read-store.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

/** So many batches are written without trouble before the one that meets it. */
const BEFORE = 3;
/** How many commands that one takes: a look, a claim, then for each collection a look and the documents, the commit. */
const STEPS = 10;
/** In bytes. */
const MORE_THAN_A_DOCUMENT_HOLDS = 17 * 1024 * 1024;

const steps = Array.from({ length: STEPS }, (_, index) => index + 1);

/** Not those that look after the generations. */
const isOfAWrite = ({ name, body }: Command): boolean =>
  name === 'insert' || name === 'update' || (name === 'find' && '_id' in Object(body.filter));

/** What one writer that nothing happens to would have made, as the embedded store has it. */
async function expectedAfter(batches: number): Promise<Everything> {
  const store = new SqliteReadStore(':memory:');
  try {
    const model = store.readModel(numbered);
    await writeBatches(model, batches);
    return await everythingIn(model);
  } finally {
    await store.close();
  }
}

describeOnMongoDb('batches written to MongoDB', (server) => {
  const opened: { close(): void | Promise<void> }[] = [];

  afterEach(async () => {
    await Promise.all(opened.splice(0).map(async (one) => one.close()));
  });

  function modelAt(uri: string): ReadModel {
    const store = new MongoDbReadStore(uri);
    opened.push(store);
    return store.readModel(numbered);
  }

  /** A writer behind a gate, after some batches, and another process on the same database. */
  async function begin(): Promise<{ gate: CommandGate; writer: ReadModel; other: ReadModel }> {
    const uri = server().freshUri();
    const gate = await CommandGate.open(uri);
    opened.push(gate);
    const writer = modelAt(gate.uri);
    await writeBatches(writer, BEFORE);
    const other = modelAt(uri);
    await other.checkpoint();
    gate.seen.length = 0;
    return { gate, writer, other };
  }

  const writeNext = (model: ReadModel): Promise<void> =>
    model.write(writesOf(BEFORE + 1), positionOf(BEFORE), positionOf(BEFORE + 1));

  async function failToWriteNext(model: ReadModel): Promise<void> {
    const position = positionOf(BEFORE + 1);
    const document = { text: 'x'.repeat(MORE_THAN_A_DOCUMENT_HOLDS) };
    const tooLarge = { collection: 'totals', key: 'all', document, position, isNew: false };
    await expect(model.write([tooLarge], positionOf(BEFORE), position)).rejects.toThrow();
  }

  /** In as many commands as if nothing had been before, so that it waited for nobody. */
  async function expectWrittenAtOnce(gate: CommandGate, writer: ReadModel): Promise<void> {
    gate.seen.length = 0;
    await writeNext(writer);
    expect(gate.seen.filter(isOfAWrite)).toHaveLength(STEPS);
    expect(await everythingIn(writer)).toEqual(await expectedAfter(BEFORE + 1));
  }

  it('are so many commands as the tests below interrupt', async () => {
    const { gate, writer } = await begin();
    await writeNext(writer);
    expect(gate.seen.filter(isOfAWrite)).toHaveLength(STEPS);
  });

  it('are seen whole or not at all, whichever answer is the last that their writer does not live to see', async () => {
    const [without, following] = [await expectedAfter(BEFORE), await expectedAfter(BEFORE + 2)];
    const outcome = async (step: number): Promise<object> => {
      const { gate, writer, other } = await begin();
      gate.cutAt(isOfAWrite, step);
      const error: unknown = await writeNext(writer).catch((thrown: unknown) => thrown);
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
      const written = writeNext(writer).catch((thrown: unknown) => thrown);
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

  it('are begun again at once by a writer whose own attempt came to nothing', async () => {
    const { gate, writer } = await begin();
    await failToWriteNext(writer);
    await expectWrittenAtOnce(gate, writer);
  });

  it('are begun again at once by whoever takes the turn from one whose attempt came to nothing', async () => {
    const { gate, writer, other } = await begin();
    await other.takeTurn();
    await failToWriteNext(other);
    await other.giveUpTurn();
    await writer.takeTurn();
    await expectWrittenAtOnce(gate, writer);
  });

  it('are never seen if they came to nothing, not even where no later batch writes', async () => {
    const { gate, writer, other } = await begin();
    const held = gate.hold(isOfAWrite, STEPS);
    const written = writeNext(writer).catch((thrown: unknown) => thrown);
    const { release } = await held;
    const position = positionOf(BEFORE + 1);
    const document = { batches: 'others' };
    const total = { collection: 'totals', key: 'all', document, position, isNew: false };
    await other.write([total], positionOf(BEFORE), position);
    release();
    expect(await written).toBeInstanceOf(StaleCheckpointError);
    const { shown, hidden, marks, some } = await expectedAfter(BEFORE);
    expect(await everythingIn(other)).toMatchObject({
      checkpoint: position,
      total: { position, document },
      ...{ shown, hidden, marks, some },
    });
  });

  it('are written once each when several processes write them at the same time', async () => {
    const uri = server().freshUri();
    const writers = [1, 2, 3].map(() => modelAt(uri));
    const writeAll = async (model: ReadModel): Promise<void> => {
      for (;;) {
        try {
          await writeBatches(model, 20);
          return;
        } catch (error) {
          if (!(error instanceof StaleCheckpointError)) throw error;
        }
      }
    };
    await Promise.all(writers.map(writeAll));
    for (const model of writers) {
      expect(await everythingIn(model)).toEqual(await expectedAfter(20));
    }
  });

  it('are seen one by one by those who read all the while', async () => {
    const uri = server().freshUri();
    const [writer, ...readers] = [modelAt(uri), modelAt(uri), modelAt(uri)];
    await writeBatches(writer, 1);
    let writing = true;
    const seen = new Map<string, unknown>();
    const reading = readers.map(async (model) => {
      while (writing) {
        const everything = await everythingIn(model);
        seen.set(JSON.stringify(everything), everything);
      }
    });
    await writeBatches(writer, 30);
    writing = false;
    await Promise.all(reading);
    const whole = await Promise.all(
      Array.from({ length: 30 }, (_, index) => expectedAfter(index + 1)),
    );
    for (const one of seen.values()) expect(whole).toContainEqual(one);
    expect(seen.size).toBeGreaterThan(4);
  });
});
