import type { MessagePort } from 'node:worker_threads';
import type { DomainEvent } from '../../kernel/event.js';
import { projectorInto, type Sources } from '../fold-afresh.js';
import type { Projection } from '../projection.js';
import { carried } from './carried-error.js';
import type { CatchUpReport } from './thread-messages.js';

/** What is to be caught up. */
export interface Behind {
  readonly projection: Projection<DomainEvent>;
  /** In which the other thread goes on. */
  readonly generation: number;
}

/**
 * Catches a projection up for another thread, and tells it through `port` how far it is, and what keeps it from going
 * on. Resolves when it is done, cannot go on or was told to stop; at once when another generation has come to serve.
 */
export async function serveCatchUp(
  port: MessagePort,
  { projection, generation }: Behind,
  sources: Sources,
): Promise<void> {
  const report = (told: CatchUpReport): void => port.postMessage(told);
  const stopping = new AbortController();
  port.on('message', () => stopping.abort());
  const { signal } = stopping;
  const model = sources.store.readModel(projection);
  const projector = projectorInto(model, projection, sources);
  try {
    if (model.generation !== generation) return;
    await projector.fill({
      signal,
      onProgress: (position, eventsFolded) => report({ kind: 'reached', position, eventsFolded }),
    });
  } catch (error) {
    if (!signal.aborted) report({ kind: 'failed', error: carried(error) });
  } finally {
    port.close();
  }
}
