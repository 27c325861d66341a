import { setTimeout as delay } from 'node:timers/promises';
import { type AnyBulkWriteOperation, type Collection, MongoBulkWriteError } from 'mongodb';
import type { Position } from '../../kernel/position.js';
import { indexedFields } from '../index-value.js';
import type { DocumentWrite } from '../read-store.js';
import { type Attempts, type LeftAttempt, nextAttempt } from './attempts.js';
import { DUPLICATE_KEY } from './duplicate-key.js';
import type { GenerationRecord } from './generation-record.js';
import type { Connected } from './guarded.js';
import type { OpenCollection } from './mongodb-view.js';
import { fieldsOf, type StoredDocument, visibleVersion } from './stored-document.js';
import type { UnchangedSince } from './unchanged-since.js';

/** How long a batch of another writer is given to come to its end before it is overtaken. */
const GIVE_WAY_MS = 1_000;
const LOOK_EVERY_MS = 20;
/** Each round but the first is for documents that another writer, overtaken meanwhile, changed under our hands. */
const ROUNDS = 10;
/** A call that takes longer than its answer is waited for would be made again and again, and the batch never be done. */
const OPERATIONS_IN_A_CALL = 100;

export interface WrittenGeneration {
  readonly records: Collection<GenerationRecord>;
  readonly id: string;
  readonly changes: UnchangedSince;
  readonly left: LeftAttempt;
  /** Each call by itself, as a batch is many: one that is never answered ends when none may take as long. */
  readonly connected: Connected;
}

/**
 * Writes documents and moves the checkpoint, all or nothing: nobody sees a document of an attempt before its commit,
 * which is one change of the record. @returns false when the checkpoint is not `from`, or the attempt was overtaken.
 */
export async function writeBatch(
  generation: WrittenGeneration,
  writes: ReadonlyMap<OpenCollection, readonly DocumentWrite[]>,
  from: Position,
  to: Position,
): Promise<boolean> {
  const { records, id, connected } = generation;
  if (writes.size === 0) {
    const moved = await connected(() =>
      records.updateOne({ _id: id, checkpoint: from }, { $set: { checkpoint: to } }),
    );
    return moved.matchedCount === 1;
  }
  const begun = await beginAttempt(generation, from);
  if (!begun) return false;
  const put = await Promise.all(
    [...writes].map(([collection, its]) => putDocuments(collection, its, begun, connected)),
  );
  if (put.includes(false)) return false;
  const { attempt } = begun;
  const committed = await connected(() =>
    records.updateOne(
      { _id: id, checkpoint: from, attempt },
      { $set: { checkpoint: to, committed: attempt } },
    ),
  );
  return committed.matchedCount === 1;
}

/**
 * Takes the next number, which ends whatever attempt is under way: at once when it was left, as our own was if we are
 * here, else when it was given time. @returns undefined for another checkpoint.
 */
async function beginAttempt(
  { records, id, changes, left, connected }: WrittenGeneration,
  from: Position,
): Promise<Attempts | undefined> {
  for (;;) {
    const found = await connected(() => records.findOne({ _id: id }));
    if (found?.checkpoint !== from) return undefined;
    const { attempt, committed } = found;
    if (attempt > committed && attempt !== left.attempt) {
      const waitedMs = changes.look(`attempt ${id}`, String(attempt));
      if (waitedMs < GIVE_WAY_MS) {
        await delay(LOOK_EVERY_MS);
        continue;
      }
    }
    const next = nextAttempt(found);
    // Before it is known: the answer may be lost.
    left.attempt = next.attempt;
    const begun = await connected(() =>
      records.updateOne({ _id: id, checkpoint: from, attempt, committed }, { $set: { ...next } }),
    );
    if (begun.matchedCount === 1) return next;
    left.attempt = undefined;
  }
}

/** @returns false when the attempt was overtaken. */
async function putDocuments(
  { definition, stored }: OpenCollection,
  writes: readonly DocumentWrite[],
  mine: Attempts,
  connected: Connected,
): Promise<boolean> {
  const indexed = indexedFields(definition);
  let pending = new Map(writes.map((write) => [write.key, write]));
  const read = (some: readonly DocumentWrite[]) => connected(() => storedUnder(stored, some));
  let known = await read(writes.filter(({ isNew }) => !isNew));
  for (let round = 1; round <= ROUNDS; round++) {
    if ([...known.values()].some(({ attempt }) => attempt > mine.attempt)) return false;
    const operations = [...pending.values()].flatMap((write) =>
      operationFor(write, known.get(write.key), mine, indexed),
    );
    if (operations.length === 0 || (await allDone(stored, operations, connected))) return true;
    known = await read([...pending.values()]);
    pending = new Map([...pending].filter(([key]) => known.get(key)?.attempt !== mine.attempt));
  }
  return false;
}

async function storedUnder(
  stored: Collection<StoredDocument>,
  writes: readonly DocumentWrite[],
): Promise<Map<string, StoredDocument>> {
  if (writes.length === 0) return new Map();
  const keys = writes.map(({ key }) => key);
  // Room for one more shows the server that there are none, so that one answer is all.
  const options = { batchSize: keys.length + 1 };
  const found = await stored.find({ _id: { $in: keys } }, options).toArray();
  return new Map(found.map((one) => [one._id, one]));
}

/** None when there is nothing to remove. */
function operationFor(
  { key, document, position }: DocumentWrite,
  before: StoredDocument | undefined,
  mine: Attempts,
  indexed: readonly string[],
): AnyBulkWriteOperation<StoredDocument>[] {
  if (!before && document === null) return [];
  const visible = before ? visibleVersion(before, mine) : null;
  if (visible === undefined) throw new Error(`the last version of ${key} is not kept any more`);
  const replacement: StoredDocument = {
    _id: key,
    fields: fieldsOf(document, indexed),
    body: document === null ? null : JSON.stringify(document),
    position,
    attempt: mine.attempt,
    previous: visible && {
      body: visible.body,
      position: visible.position,
      attempt: visible.attempt,
    },
  };
  if (!before) return [{ insertOne: { document: replacement } }];
  return [{ replaceOne: { filter: { _id: key, attempt: before.attempt }, replacement } }];
}

/** @returns false when some documents were not as they had been read. */
async function allDone(
  stored: Collection<StoredDocument>,
  operations: readonly AnyBulkWriteOperation<StoredDocument>[],
  connected: Connected,
): Promise<boolean> {
  let done = true;
  for (let start = 0; start < operations.length; start += OPERATIONS_IN_A_CALL) {
    const some = operations.slice(start, start + OPERATIONS_IN_A_CALL);
    if (!(await connected(() => someDone(stored, some)))) done = false;
  }
  return done;
}

async function someDone(
  stored: Collection<StoredDocument>,
  operations: AnyBulkWriteOperation<StoredDocument>[],
): Promise<boolean> {
  try {
    const done = await stored.bulkWrite(operations, { ordered: false });
    return done.insertedCount + done.matchedCount === operations.length;
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const errors = [error.writeErrors].flat();
    if (errors.length === 0 || errors.some(({ code }) => code !== DUPLICATE_KEY)) throw error;
    return false;
  }
}
