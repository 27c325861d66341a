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
import { history } from '../event-log/history.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import type { EventMetadata } from '../../kernel/metadata.js';
import { type Position, START } from '../../kernel/position.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { decoded } from './decoded-batch.js';
import { GenerationFold } from './generation-fold.js';
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

it('writes nothing of a batch with an unreadable event that tells no account', async () => {
  const tally = (amount: unknown) => event({ name: 'a', amount }, 'Tallied');
  const { account_id: _, ...untold } = metadataAt(0);
  const metadata = untold as EventMetadata;
  await log.append('tally-1', [tally(1), { ...tally('no number'), metadata }], 'no-stream');
  const namespace = new Generations(TALLIES, store).open(1);
  const fold = new GenerationFold(TALLIES, namespace, log);
  await fold.open();
  const registry = new EventRegistry([tallied]);
  const folding = async (): Promise<void> => {
    for await (const batch of history(log, START)) await fold.apply(decoded(batch, registry));
  };
  await expect(folding()).rejects.toBeInstanceOf(UnreadableEventError);
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
    write: (from, to, folded) =>
      namespace.write(from, to, async (view) => {
        const changes = await folded(view);
        written.push({ to, bytes: Buffer.byteLength(JSON.stringify(changes)) });
        return changes;
      }),
  });
  const fold = new GenerationFold(readSide, watched, log);
  await fold.open();
  const registry = new EventRegistry([tallied]);
  for await (const batch of history(log, START)) await fold.apply(decoded(batch, registry));
  expect(written.length).toBeLessThan(10);
  expect(ends).toEqual(expect.arrayContaining(written.map(({ to }) => to)));
  expect(written.at(-1)?.to).toBe(await log.head());
  expect(written.filter(({ bytes }) => bytes > 8_500_000)).toEqual([
    { to: ends[9], bytes: expect.closeTo(9_500_000, -6) },
  ]);
  expect(fold.eventsFolded).toBe(31);
});
