import { messageOf, Unavailable } from '../kernel/errors.js';
import type { DomainEvent } from '../kernel/event.js';
import { type Position, START } from '../kernel/position.js';
import { decoded } from './decoded-batch.js';
import { type Catalog, type Generations, servingIn } from './generations.js';
import { LogIdentity } from './log-identity.js';
import { type Projection, typesOf } from './projection.js';
import { OtherLogError, Projector } from './projector.js';
import type { Sources } from './sources.js';
import { parkedAccounts } from './standing.js';
import { allParkedIn, type ParkedAccount } from './stored-projection.js';

/** The standing of a projection, read from the store alone. No process needs to feed the projection. */
export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  /** The generation that serves; null before one does. */
  readonly generation: number | null;
  /** Its checkpoint; null before the first. */
  readonly position: Position | null;
  /** How many of its events the log has behind that. */
  readonly lag: number;
  readonly state: 'live' | 'catching-up' | 'filling' | 'degraded' | 'stuck';
  /** Why it is stuck or degraded. */
  readonly problem?: string;
  /** Accounts that are passed over, each with the event of it that cannot be read. */
  readonly parked?: readonly ParkedAccount[];
}

/**
 * How far a projection is as its store and the log have it, whoever keeps it up to date. Removes what a rebuild left that was
 * killed.
 */
export async function statusOf(
  projection: Projection<DomainEvent>,
  generations: Generations,
  sources: Sources,
): Promise<ProjectionStatus> {
  const { entries } = await generations.catalog();
  await generations.sweepFillings(projection, entries, await sources.store.namespaces());
  return standingOf(projection, entries, generations, sources);
}

/** As `statusOf`, and changes nothing. @param entries those of the catalog. */
export async function standingOf(
  projection: Projection<DomainEvent>,
  entries: Catalog,
  generations: Generations,
  sources: Sources,
): Promise<ProjectionStatus> {
  const { log, store } = sources;
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
  // Of another log, all is still to be folded.
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

/** The fault that keeps a projection from the batch behind a checkpoint; undefined when there is none. */
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
