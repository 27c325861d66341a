import type { AnyBulkWriteOperation } from 'mongodb';
import type { Position } from '../../../kernel/position.js';
import type { Change } from '../read-store.js';
import type { Call } from './connection.js';
import type { RowsRead } from './mongodb-view.js';
import { type OpenCollection, type Row, rowOf } from './rows.js';

/** The most writes in one call of the server, and the most calls at once. */
const WRITES_IN_A_CALL = 1_000;
const CALLS_AT_ONCE = 4;

type Write = AnyBulkWriteOperation<Row>;

/** The writes of one batch, for each collection. */
export type Batch = ReadonlyMap<OpenCollection, readonly Write[]>;

/**
 * Makes the writes of a batch that ends at `to`: the new rows, and the ends of the rows that they replace.
 * @throws when a document cannot be written as JSON, or is not new and the fold did not read it.
 */
export function batchOf(
  changes: readonly Change[],
  read: RowsRead,
  to: Position,
  term: number,
  open: (collection: string) => OpenCollection,
): Batch {
  const batch = new Map<OpenCollection, Write[]>();
  for (const { collection, key, document, isNew } of changes) {
    const into = open(collection);
    const before = read.get(collection)?.get(key);
    if (before === undefined && !isNew) throw new Error(`${collection} ${key} was not read`);
    const writes = batch.get(into) ?? [];
    batch.set(into, writes);
    // A batch that was never committed may have ended the row already. The earlier end stands.
    if (typeof before === 'string') {
      writes.push({
        updateOne: { filter: { _id: before, to: { $gt: to } }, update: { $set: { to } } },
      });
    }
    if (document !== null) {
      const row = rowOf(key, document, to, term, into.definition);
      writes.push({ insertOne: { document: row } });
    }
  }
  return batch;
}

/**
 * Sends each write once, in any order. No reader sees the rows before the commit of the batch.
 * @throws when the server did not acknowledge a write. Writes under way may still happen later, so the term must end.
 */
export async function send(batch: Batch, call: Call): Promise<void> {
  const calls: (() => Promise<void>)[] = [];
  for (const [{ rows }, writes] of batch) {
    for (let start = 0; start < writes.length; start += WRITES_IN_A_CALL) {
      const some = writes.slice(start, start + WRITES_IN_A_CALL);
      // The driver gives each call its own session: the server runs the writes of one session one after another.
      calls.push(async () => {
        await call(() => rows.bulkWrite(some, { ordered: false }));
      });
    }
  }
  const queue = calls.values();
  const width = Math.min(CALLS_AT_ONCE, calls.length);
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const next of queue) await next();
    }),
  );
}
