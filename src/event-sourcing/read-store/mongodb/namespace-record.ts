import { type ClientSession, type Collection, UUID } from 'mongodb';
import type { Position } from '../../../kernel/position.js';
import type { Connection } from './connection.js';
import { isOutOfTime } from './server-errors.js';

/** A namespace's only record. Every batch changes it, so that of two at once only one commits. */
export interface NamespaceRecord {
  readonly _id: string;
  /** Tells a namespace from earlier ones of its name. The collections' names contain this id. */
  readonly incarnation: string;
  readonly checkpoint: Position;
  readonly serves: boolean;
  /** The id of the session whose transactions write to the namespace; null before the first. */
  readonly writer: string | null;
  /** The collections' names in the read model; null until all of them are made. */
  readonly collections: readonly string[] | null;
}

export type Records = Collection<NamespaceRecord>;

/** How long a living writer may have the record locked before its transaction is ended. */
const LOCKED_FOR_MS = 1_000;

/**
 * Changes a record outside a transaction. A writer that died or froze within a transaction would
 * keep the record locked for a minute, so its transaction is ended.
 */
export async function whenUnlocked<Result>(
  { db, call }: Connection,
  { writer }: NamespaceRecord,
  change: (options: { readonly maxTimeMS?: number }) => Promise<Result>,
): Promise<Result> {
  try {
    return await call(() => change({ maxTimeMS: LOCKED_FOR_MS }));
  } catch (error) {
    if (!isOutOfTime(error)) throw error;
    if (writer !== null) await call(() => db.command({ killSessions: [{ id: new UUID(writer) }] }));
    return call(() => change({}));
  }
}

/** Removes the record of a namespace, and so the namespace. It may be gone already. */
export async function forget(
  connection: Connection,
  records: Records,
  record: NamespaceRecord,
): Promise<void> {
  const { _id, incarnation } = record;
  await whenUnlocked(connection, record, (options) =>
    records.deleteOne({ _id, incarnation }, options),
  );
}

/** Returns the id of the session of transactions, as in the record. */
export function idOf({ id }: ClientSession): string {
  if (!id) throw new Error('the session has ended');
  return new UUID(id.id.buffer).toHexString();
}

const DOCUMENTS = 'documents';

export function collectionName(namespace: string, collection: string, incarnation: string): string {
  return [DOCUMENTS, namespace, collection, incarnation].join('.');
}

/** @returns the incarnation of a collection; undefined for a collection of another kind. */
export function incarnationOf(collectionName: string): string | undefined {
  const parts = collectionName.split('.');
  return parts[0] === DOCUMENTS ? parts.at(-1) : undefined;
}
