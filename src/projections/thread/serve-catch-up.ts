import type { MessagePort } from 'node:worker_threads';
import type { DomainEvent } from '../../kernel/event.js';
import { projectorInto, type Sources } from '../fold-afresh.js';
import type { Projection } from '../projection.js';
import { carried } from './carried-error.js';
import type { CatchUpReport } from './thread-messages.js';

/**
 * Catches a projection up for another thread, and tells it through `port` how far it is, and what keeps it from going
 * on. Resolves when it is done, cannot go on or was told to stop.
 */
export async function serveCatchUp(
  port: MessagePort,
  projection: Projection<DomainEvent>,
  sources: Sources,
): Promise<void> {
  const report = (told: CatchUpReport): void => port.postMessage(told);
  const stopping = new AbortController();
  port.on('message', () => stopping.abort());
  const { signal } = stopping;
  const projector = projectorInto(sources.store.readModel(projection), projection, sources);
  try {
    await projector.fill({
      signal,
      onProgress: (position, eventsFolded) => report({ kind: 'reached', position, eventsFolded }),
    });
  } catch (error) {
    if (!signal.aborted) report({ kind: 'failed', error: carried(error) });
  }
  port.close();
}
