import { messageOf, Unavailable } from '../../kernel/errors.js';
import type { DomainEvent } from '../../kernel/event.js';
import { type Position, START } from '../../kernel/position.js';
import { decoded } from './decoded-batch.js';
import { type Generations, servingIn } from './generations.js';
import { LogIdentity } from './log-identity.js';
import { type Projection, typesOf } from './projection.js';
import { OtherLogError, Projector } from './projector.js';
import type { Sources } from './sources.js';
import { parkedAccounts } from './standing.js';
import { allParkedIn, type ParkedAccount } from './stored-projection.js';

/** The standing of a projection, read from the store and the log. No process needs to feed the projection. */
export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  /** The generation that serves; null until one serves. */
  readonly generation: number | null;
  /** The checkpoint of the generation that serves; null before the first checkpoint. */
  readonly position: Position | null;
  /** The number of events of the projection after `position`; all events if the fold was of another log. */
  readonly lag: number;
  readonly state: 'live' | 'catching-up' | 'filling' | 'degraded' | 'stuck';
  /** Why the projection is stuck or degraded. */
  readonly problem?: string;
  /** The parked accounts, each with its event that cannot be read. */
  readonly parked?: readonly ParkedAccount[];
}

/**
 * Returns how far a projection is, from the store and the log alone, whichever process feeds it. Drops the generations
 * that killed rebuilds left unfinished.
 */
export async function statusOf(
  projection: Projection<DomainEvent>,
  generations: Generations,
  sources: Sources,
): Promise<ProjectionStatus> {
  const { log, store } = sources;
  const { entries } = await generations.catalog();
  await generations.sweepFillings(projection, entries, await store.namespaces());
  const { name, version } = projection;
  const types = typesOf(projection);
  const generation = servingIn(entries, projection);
  const isFilling = generations.isFilling(projection, entries, await store.namespaces());
  if (generation === null) {
    const lag = await log.countAfter(START, { types });
    const state = isFilling ? 'filling' : 'catching-up';
    return { name, version, generation, position: null, lag, state };
  }
  const namespace = generations.open(projection, generation);
  const checkpoint = await namespace.checkpoint();
  const parked = await namespace.read(allParkedIn);
  const otherLog = await problemOfLog(new Projector(projection, generation, namespace), sources);
  // A projection of another log has still to fold all events of this log.
  const lag = await log.countAfter(otherLog === undefined ? checkpoint : START, { types });
  const obstacle = otherLog ?? (await obstacleAfter(checkpoint, types, sources));
  const position = checkpoint === START ? null : checkpoint;
  const seen = { name, version, generation, position, lag };
  if (obstacle !== undefined) return { ...seen, state: 'stuck', problem: messageOf(obstacle) };
  if (isFilling) return { ...seen, state: 'filling' };
  if (parked.length > 0) {
    return { ...seen, state: 'degraded', problem: parkedAccounts(parked.length), parked };
  }
  return { ...seen, state: lag > 0 ? 'catching-up' : 'live' };
}

async function problemOfLog(projector: Projector, { log }: Sources): Promise<string | undefined> {
  try {
    await projector.open(new LogIdentity(log), log);
    return undefined;
  } catch (error) {
    if (error instanceof OtherLogError) return error.message;
    throw error;
  }
}

/** Returns the fault that keeps a projection from folding the batch after a checkpoint; undefined when none does. */
export async function obstacleAfter(
  checkpoint: Position,
  types: readonly string[],
  { log, registry }: Sources,
): Promise<unknown> {
  try {
    for await (const batch of log.readAll(checkpoint, { types })) {
      if (batch.events.length === 0) continue;
      const { unreadable } = await decoded(batch, registry, log);
      const stop = unreadable.find(({ accountId }) => accountId === undefined);
      return stop?.fault;
    }
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    return error;
  }
  return undefined;
}
