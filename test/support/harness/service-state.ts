import { EVENT_LOG, type EventLog } from '../../../src/event-sourcing/event-log/event-log.js';
import type { Position } from '../../../src/kernel/position.js';
import { Projections } from '../../../src/event-sourcing/projections/projections.js';
import type { Namespace } from '../../../src/event-sourcing/read-store/read-store.js';
import { eventually } from './eventually.js';
import type { RunningApp } from './running-app.js';

const CAUGHT_UP_WITHIN_MS = 10_000;

/**
 * Gives the positions of the log and of every read model. Every write moves a position, so between two equal states
 * there was no write.
 * @param withinMs how long a read model may take to reach the head of the log.
 */
export async function stateOf(
  { app }: RunningApp,
  withinMs = CAUGHT_UP_WITHIN_MS,
): Promise<Record<string, string>> {
  const head = await app.get<EventLog>(EVENT_LOG).head();
  for (const { progress } of app.get(Projections).all) {
    if (await progress.waitFor(head, withinMs)) continue;
    throw new Error('a projection does not catch up');
  }
  const checkpoints = app
    .get(Projections)
    .all.map(
      async ({ projection, namespace }) =>
        [projection.name, await settledCheckpoint(namespace, head)] as const,
    );
  return { log: head, ...Object.fromEntries(await Promise.all(checkpoints)) };
}

/** The checkpoint reaches the head a little later, also when no new event concerns the projection. */
async function settledCheckpoint(namespace: Namespace, head: Position): Promise<Position> {
  return eventually('the checkpoint is where the projection is', async () => {
    const checkpoint = await namespace.checkpoint();
    return checkpoint >= head && checkpoint;
  });
}
