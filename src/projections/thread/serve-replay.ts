import type { MessagePort } from 'node:worker_threads';
import type { DomainEvent } from '../../kernel/event.js';
import type { Sources } from '../fold-afresh.js';
import type { Projection } from '../projection.js';
import { rebuild } from '../rebuild.js';
import { carried } from './carried-error.js';
import type { ReplayReport } from './thread-messages.js';

/**
 * Replays the log into a generation of a projection for another thread, lets it serve, and tells the other through
 * `port` how far it is, and what kept it from that. Resolves when it is done, cannot go on or was told to stop.
 */
export async function serveReplay(
  port: MessagePort,
  projection: Projection<DomainEvent>,
  sources: Sources,
): Promise<void> {
  const report = (told: ReplayReport): void => port.postMessage(told);
  const stopping = new AbortController();
  port.on('message', () => stopping.abort());
  const { signal } = stopping;
  try {
    await rebuild(projection, sources, {
      compare: false,
      signal,
      onProgress: (position, eventsFolded) => report({ kind: 'reached', position, eventsFolded }),
    });
  } catch (error) {
    if (!signal.aborted) report({ kind: 'failed', error: carried(error) });
  } finally {
    port.close();
  }
}
