import { messageOf, Unavailable } from '../kernel/errors.js';
import type { DomainEvent } from '../kernel/event.js';
import { type Position, START } from '../kernel/position.js';
import type { Sources } from './fold-afresh.js';
import { type Projection, typesOf } from './projection.js';

/** What can be told of a projection from outside the process that keeps it up to date, if one does. */
export interface ProjectionStatus {
  readonly name: string;
  /** That folded what serves first: an earlier one while that is continued. */
  readonly version: number;
  readonly generation: number;
  /** Of its checkpoint; null before the first. */
  readonly position: Position | null;
  /** How many of its events the log has behind that. */
  readonly lag: number;
  readonly state: 'live' | 'catching-up' | 'filling' | 'stuck';
  /** Why it is stuck. */
  readonly problem?: string;
}

/** How far a projection is as its store and the log have it, whoever keeps it up to date. */
export async function statusOf(
  projection: Projection<DomainEvent>,
  sources: Sources,
): Promise<ProjectionStatus> {
  const { log, store } = sources;
  const { name } = projection;
  const model = store.readModel(projection);
  const checkpoint = await model.checkpoint();
  const types = typesOf(projection);
  const isHeld = await log.holds(checkpoint);
  // Of another log, all is still to be folded.
  const lag = await log.countAfter(isHeld ? checkpoint : START, { types });
  const problem = isHeld
    ? await obstacleAfter(checkpoint, types, sources)
    : `its checkpoint ${checkpoint} is not in the log`;
  const filling = await store.isFilling(projection);
  const position = checkpoint === START ? null : checkpoint;
  const { version, generation } = model;
  const told = { name, version, generation, position, lag };
  if (problem !== undefined) return { ...told, state: 'stuck', problem };
  return { ...told, state: filling ? 'filling' : lag > 0 ? 'catching-up' : 'live' };
}

/** What keeps a projection from the batch that comes next, if anything does. */
async function obstacleAfter(
  checkpoint: Position,
  types: readonly string[],
  { log, registry }: Sources,
): Promise<string | undefined> {
  try {
    for await (const { events } of log.readAll(checkpoint, { types })) {
      if (events.length === 0) continue;
      for (const event of events) registry.decode(event);
      break;
    }
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    return messageOf(error);
  }
  return undefined;
}
