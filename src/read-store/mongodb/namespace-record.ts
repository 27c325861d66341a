import type { ClientSession, Collection } from 'mongodb';
import { type Position, START } from '../../kernel/position.js';
import { isDuplicateKey } from './server-errors.js';

/**
 * Terms that have ended. Their rows that begin after `upTo` are void for ever, however late they arrive: they are of
 * batches that were never committed.
 */
export interface Cut {
  readonly firstTerm: number;
  readonly lastTerm: number;
  readonly upTo: Position;
}

/** The one record of a namespace. Everything that must change in one step is in it. */
export interface NamespaceRecord {
  readonly _id: string;
  /** Tells a namespace from an earlier one of the same name. Its collections have it in their names. */
  readonly incarnation: string;
  readonly checkpoint: Position;
  /** The number of the writer that may commit. */
  readonly term: number;
  readonly cuts: readonly Cut[];
  /** No reader at an earlier checkpoint finds all of its rows any more. */
  readonly floor: Position;
}

export type Records = Collection<NamespaceRecord>;

/**
 * Begins a namespace.
 * @returns its record, with the first term in the hands of the caller; undefined when somebody else began it.
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
 * Takes a new term, which ends the one before: its writer commits nothing more.
 * @returns the record with the new term; undefined when it is no longer as it was found.
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

/** Finds a record only if nobody has written to its namespace since. */
export function stateOf({ _id, incarnation, term, checkpoint }: NamespaceRecord) {
  return { _id, incarnation, term, checkpoint };
}

/** Whether nobody has written to a namespace since. */
export function isSame(a: NamespaceRecord, b: NamespaceRecord): boolean {
  return a.incarnation === b.incarnation && a.term === b.term && a.checkpoint === b.checkpoint;
}

/** Terms in which nothing was committed share one cut, so that a row of failures stays one entry. */
function withCut({ term, cuts, checkpoint }: NamespaceRecord): readonly Cut[] {
  const last = cuts.at(-1);
  if (last?.upTo === checkpoint) return [...cuts.slice(0, -1), { ...last, lastTerm: term }];
  return [...cuts, { firstTerm: term, lastTerm: term, upTo: checkpoint }];
}
