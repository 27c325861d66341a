import type { EventLog } from '../../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../../src/event-sourcing/ledger.js';
import { ReadModels } from '../../../src/event-sourcing/projections/read-models.js';
import type { RunningApp } from './running-app.js';

const CAUGHT_UP_WITHIN_MS = 10_000;

/**
 * Gives the positions of the log and of the read models. Every write moves a position, so between
 * two equal states there was no write.
 * @param withinMs how long the read models may take to reach the head of the log.
 */
export async function stateOf(
  { app }: RunningApp,
  withinMs = CAUGHT_UP_WITHIN_MS,
): Promise<Record<string, string>> {
  const head = await app.get<EventLog>(MANAGEMENT.log).head();
  const models = app.get<ReadModels>(MANAGEMENT.models);
  if (!(await models.progress.waitFor(head, withinMs)))
    throw new Error('the read models do not catch up');
  return { log: head, 'read models': await models.read(async (view) => view.checkpoint) };
}
