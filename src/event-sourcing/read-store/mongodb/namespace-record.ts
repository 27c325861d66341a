import type { ClientSession, Collection } from 'mongodb';
import { type Position, START } from '../../../kernel/position.js';
import { isDuplicateKey } from './server-errors.js';

/**
 * A range of ended terms. Rows of these terms that begin after `upTo` are void for ever, however late they arrive,
 * because their batches were never committed.
 */
export interface Cut {
  readonly firstTerm: number;
  readonly lastTerm: number;
  readonly upTo: Position;
}

/** The only record of a namespace. It holds everything that must change in one step. */
export interface NamespaceRecord {
  readonly _id: string;
  /** An id that tells a namespace from earlier namespaces of its name. The names of the collections contain the id. */
  readonly incarnation: string;
  readonly checkpoint: Position;
  /** The number of the current term. Only the writer that took this term may commit. */
  readonly term: number;
  readonly cuts: readonly Cut[];
  /** The earliest checkpoint at which a reader is sure to find all rows that are visible at that checkpoint. */
  readonly floor: Position;
}

export type Records = Collection<NamespaceRecord>;

/**
 * Creates the record of a namespace.
 * @returns the record, with the first term held by the caller; undefined when another process created the record first.
 */
export async function begin(
  records: Records,
  name: string,
  incarnation: string,
  session: ClientSession,
): Promise<NamespaceRecord | undefined> {
  const record = { _id: name, incarnation, checkpoint: START, term: 1, cuts: [], floor: START };
  try {
    await records.insertOne(record, { session });
    return record;
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

/**
 * Takes a new term. The writer of the term before can then commit nothing more.
 * @returns the record with the new term; undefined when the record has changed since it was found.
 */
export async function takeTerm(
  records: Records,
  found: NamespaceRecord,
  session: ClientSession,
): Promise<NamespaceRecord | undefined> {
  const next = { term: found.term + 1, cuts: withCut(found) };
  const taken = await records.updateOne(stateOf(found), { $set: next }, { session });
  return taken.matchedCount === 1 ? { ...found, ...next } : undefined;
}

/** Returns a filter that finds a record only if nobody has written to its namespace since the record was read. */
export function stateOf({ _id, incarnation, term, checkpoint }: NamespaceRecord) {
  return { _id, incarnation, term, checkpoint };
}

/** Whether nobody has written to a namespace between two reads of its record. */
export function isSame(a: NamespaceRecord, b: NamespaceRecord): boolean {
  return a.incarnation === b.incarnation && a.term === b.term && a.checkpoint === b.checkpoint;
}

/** Returns the cuts with the term added. Terms without a commit share one cut, so that many failures add one entry. */
function withCut({ term, cuts, checkpoint }: NamespaceRecord): readonly Cut[] {
  const last = cuts.at(-1);
  if (last?.upTo === checkpoint) return [...cuts.slice(0, -1), { ...last, lastTerm: term }];
  return [...cuts, { firstTerm: term, lastTerm: term, upTo: checkpoint }];
}
