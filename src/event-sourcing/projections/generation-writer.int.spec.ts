import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { event } from '../../../test/contracts/opened-log.js';
import { largeDocuments } from '../../../test/support/specs/large-documents.js';
import { metadataAt } from '../../../test/support/specs/metadata-at.js';
import { TALLIES } from '../../../test/support/specs/replicas.js';
import { namespaceWith } from '../../../test/support/specs/store-with.js';
import { tallied } from '../../../test/support/specs/tally.js';
import { EventRegistry, UnreadableEventError } from '../event-log/event-registry.js';
import type { StoredEvent } from '../event-log/event-log.js';
import { eventsUpToHead } from '../event-log/events-up-to-head.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import type { EventMetadata } from '../../kernel/metadata.js';
import { type Position, START } from '../../kernel/position.js';
import { StaleCheckpointError } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { decodeBatch } from './decoded-batch.js';
import { foldParts } from './fold-ahead.js';
import { type FoldedPart, GenerationWriter } from './generation-writer.js';
import { Generations } from './generations.js';
import { readSideOf } from './read-side.js';

let log: SqliteEventLog;
let store: SqliteReadStore;

beforeEach(() => {
  log = new SqliteEventLog(':memory:');
  store = new SqliteReadStore(':memory:');
});

afterEach(async () => {
  await store.close();
  await log.close();
});

const registry = new EventRegistry([tallied]);

async function foldAll(writer: GenerationWriter): Promise<void> {
  const batches = eventsUpToHead(log, START);
  for await (const part of foldParts(writer, batches, (batch) => decodeBatch(batch, registry))) {
    await writer.write(part);
  }
}

it('folds a part over what the part before it changes, which is not written yet', async () => {
  const namespace = new Generations(TALLIES, store).open(1);
  const writer = new GenerationWriter(TALLIES, namespace, log);
  await writer.open();
  const folded: FoldedPart[] = [];
  let reached = START;
  for (const name of ['a', 'b', 'a']) {
    await log.append(randomUUID(), [event({ name, amount: 1 }, 'Tallied')], 'no-stream');
    const batches = eventsUpToHead(log, reached);
    for await (const part of foldParts(writer, batches, (batch) => decodeBatch(batch, registry))) {
      folded.push(part);
      reached = part.reached;
      // The one before the last is written, as in a fold that goes one part ahead.
      const written = folded.at(-2);
      if (written) await writer.write(written);
    }
  }
  const last = folded.at(-1);
  if (last) await writer.write(last);
  expect(folded).toHaveLength(3);
  const sums = await namespace.read((view) => view.getMany('names', ['a', 'b']));
  expect([...sums.values()].map(({ sum }) => sum)).toEqual([2, 1]);
});

it('refuses to read documents of a state that another process has moved on', async () => {
  const namespace = new Generations(TALLIES, store).open(1);
  const writer = new GenerationWriter(TALLIES, namespace, log);
  await writer.open();
  await namespace.write(START, '9', []);
  await log.append(randomUUID(), [event({ name: 'a', amount: 1 }, 'Tallied')], 'no-stream');
  await expect(foldAll(writer)).rejects.toBeInstanceOf(StaleCheckpointError);
});

it('writes nothing of a batch with an unreadable event that tells no account', async () => {
  const tally = (amount: unknown) => event({ name: 'a', amount }, 'Tallied');
  const { account_id: _, ...untold } = metadataAt(0);
  const metadata = untold as EventMetadata;
  await log.append('tally-1', [tally(1), { ...tally('no number'), metadata }], 'no-stream');
  const namespace = new Generations(TALLIES, store).open(1);
  const writer = new GenerationWriter(TALLIES, namespace, log);
  await writer.open();
  await expect(foldAll(writer)).rejects.toBeInstanceOf(UnreadableEventError);
  expect(await namespace.checkpoint()).toBe(START);
});

it('writes at most 8 MB of documents together, or one append alone, and splits no append', async () => {
  const large = (bytes: number) => event({ name: randomUUID(), amount: bytes }, 'Tallied');
  const ends: Position[] = [];
  const append = async (...events: readonly StoredEvent[]): Promise<void> => {
    const { position } = await log.append(randomUUID(), events, 'no-stream');
    ends.push(position);
  };
  for (let count = 0; count < 9; count++) await append(large(2_800_000));
  await append(large(5_000_000), large(4_500_000));
  for (let count = 0; count < 20; count++) await append(large(300_000));
  const readSide = readSideOf('large', [largeDocuments]);
  const namespace = new Generations(readSide, store).open(1);
  const written: { readonly to: Position; readonly bytes: number }[] = [];
  const watched = namespaceWith(namespace, {
    write: (from, to, changes) => {
      written.push({ to, bytes: Buffer.byteLength(JSON.stringify(changes)) });
      return namespace.write(from, to, changes);
    },
  });
  const writer = new GenerationWriter(readSide, watched, log);
  await writer.open();
  await foldAll(writer);
  expect(written.length).toBeLessThan(10);
  expect(ends).toEqual(expect.arrayContaining(written.map(({ to }) => to)));
  expect(written.at(-1)?.to).toBe(await log.head());
  expect(written.filter(({ bytes }) => bytes > 8_500_000)).toEqual([
    { to: ends[9], bytes: expect.closeTo(9_500_000, -6) },
  ]);
  expect(writer.eventsFolded).toBe(31);
});
