import type { DomainEvent } from '../kernel/event.js';
import { START } from '../kernel/position.js';
import type { Sources } from './fold-afresh.js';
import type { Projection } from './projection.js';

/**
 * Tells a log that was lost from one that never was: read models may be the last copy of what was in it.
 * @throws when the log is empty and a read model has folded events.
 */
export async function refuseLostLog(
  projections: readonly Projection<DomainEvent>[],
  { log, store }: Sources,
): Promise<void> {
  if ((await log.head()) !== START) return;
  for (const projection of projections) {
    const checkpoint = await store.readModel(projection).checkpoint();
    if (checkpoint === START) continue;
    throw new Error(
      `the event log is empty, but ${projection.name} has folded one up to position ${checkpoint}: ` +
        'the log was lost, or it is not the one that these read models belong to. ' +
        'Restore the log from a backup, or name the right one. ' +
        'To begin anew, remove the read models: they may be the last copy of what the log held',
    );
  }
}
