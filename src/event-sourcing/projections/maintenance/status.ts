import { eventsUpToHead } from '../../event-log/events-up-to-head.js';
import { UnheldPositionError } from '../../event-log/event-log.js';
import { messageOf, Unavailable } from '../../../kernel/errors.js';
import { distanceTo, type Position, START } from '../../../kernel/position.js';
import type { Namespace } from '../../read-store/read-store.js';
import { decodeBatch } from '../decoded-batch.js';
import { GenerationWriter } from '../generation-writer.js';
import { Generations } from '../generations.js';
import { allParkedIn, type ParkedAccount } from '../parked-accounts.js';
import type { ReadSide, Sources } from '../read-side.js';
import { problemOfParked } from '../read-side-notices.js';

/** The state of a read side, from the store and the log. No process needs to fold it. */
export interface ReadSideStatus {
  readonly name: string;
  /** A digest of the versions and events of its projections. */
  readonly version: string;
  /** The generation that serves; null until one serves. */
  readonly generation: number | null;
  /** The checkpoint of the generation that serves; null before the first checkpoint. */
  readonly position: Position | null;
  /** How far the head of the log is ahead, in events, or in bytes on EventStoreDB. */
  readonly lag: number;
  readonly state: 'live' | 'catching-up' | 'filling' | 'degraded' | 'stuck';
  readonly problem?: string;
  /** The parked accounts, each with its event that cannot be read. */
  readonly parked: readonly ParkedAccount[];
}

export async function statusOf(readSide: ReadSide, sources: Sources): Promise<ReadSideStatus> {
  const { log, store } = sources;
  const generations = new Generations(readSide, store);
  const { serving: generation, checkpoint, newest } = await generations.look();
  const isFilling = newest > (generation ?? 0);
  const passed = distanceTo(await log.head(checkpoint));
  const seen = { name: readSide.name, version: readSide.digest, generation };
  if (generation === null) {
    const state = isFilling ? 'filling' : 'catching-up';
    return { ...seen, position: null, lag: passed, state, parked: [] };
  }
  const namespace = generations.open(generation);
  const parked = await namespace.read(allParkedIn);
  const obstacle = await obstacleTo(readSide, namespace, sources);
  // Read models of another log still have to apply all events of this log.
  const isOurs = !(obstacle instanceof UnheldPositionError);
  const lag = isOurs ? Math.max(0, passed - distanceTo(checkpoint)) : passed;
  const row = { ...seen, position: checkpoint === START ? null : checkpoint, lag, parked };
  if (obstacle !== undefined) return { ...row, state: 'stuck', problem: messageOf(obstacle) };
  if (isFilling) return { ...row, state: 'filling' };
  if (parked.length > 0) {
    const accounts = new Set(parked.map(({ account_id }) => account_id));
    return { ...row, state: 'degraded', problem: problemOfParked(accounts.size) };
  }
  return { ...row, state: lag > 0 ? 'catching-up' : 'live' };
}

/** Returns the fault that keeps a generation from folding the next batch; undefined for none. */
export async function obstacleTo(
  readSide: ReadSide,
  namespace: Namespace,
  { log, registry }: Sources,
): Promise<unknown> {
  const writer = new GenerationWriter(readSide, namespace, log);
  try {
    await writer.open();
    for await (const batch of eventsUpToHead(log, writer.position)) {
      const { unreadable } = decodeBatch(batch, registry);
      return unreadable.find(({ accountId }) => accountId === undefined)?.fault;
    }
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    return error;
  }
  return undefined;
}
