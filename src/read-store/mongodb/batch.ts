import type { AnyBulkWriteOperation } from 'mongodb';
import type { Position } from '../../kernel/position.js';
import type { Change } from '../read-store.js';
import type { Call } from './connection.js';
import type { RowsRead } from './mongodb-view.js';
import { type OpenCollection, type Row, rowOf } from './rows.js';

/** As many as the server is asked for in one call, and the number of calls at once. */
const WRITES_IN_A_CALL = 1_000;
const CALLS_AT_ONCE = 4;

type Write = AnyBulkWriteOperation<Row>;

/** The writes of one batch, for each collection. */
export type Batch = ReadonlyMap<OpenCollection, readonly Write[]>;

/**
 * Makes the writes of a batch that ends at `to`: rows that are new, and the ends of the rows that the fold read.
 * @throws when a document cannot be said in JSON, or was neither read nor is new.
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
    // A row may have been ended by a batch that came to nothing; the earlier end stands.
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
 * Sends each write once, in any order. Nobody sees a row of them before their commit.
 * @throws when any was not acknowledged. Those under way may still be carried out, at any time: their term must end.
 */
export async function send(batch: Batch, call: Call): Promise<void> {
  const calls: (() => Promise<void>)[] = [];
  for (const [{ rows }, writes] of batch) {
    for (let start = 0; start < writes.length; start += WRITES_IN_A_CALL) {
      const some = writes.slice(start, start + WRITES_IN_A_CALL);
      // Each call has a session of the driver's own: the server takes the writes of one session one after another.
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
