import type { MessagePort } from 'node:worker_threads';
import type { DomainEvent } from '../../../kernel/event.js';
import { Engine } from '../engine.js';
import type { Projection } from '../projection.js';
import type { Sources } from '../sources.js';
import { carried } from './carried-error.js';
import type { ThreadReport, ThreadRequest } from './thread-messages.js';

/**
 * Keeps projections up to date for another thread, and reports their standings through the message port `port`.
 * Resolves when the other thread has sent `stop` and the engine has saved its checkpoints.
 */
export async function serveThread(
  port: MessagePort,
  projections: readonly Projection<DomainEvent>[],
  sources: Sources,
): Promise<void> {
  const engine = new Engine(projections, sources, (standings) => {
    const report: ThreadReport = standings.map((standing) => ({
      ...standing,
      fault: standing.fault === null ? null : carried(standing.fault),
    }));
    port.postMessage(report);
  });
  const stopped = new Promise<void>((resolve) => {
    port.on('message', (request: ThreadRequest) => {
      if (request.kind === 'stop') resolve();
      else if (request.kind === 'damaged') engine.damaged(request.projection);
      else engine.hurry(request.position, request.timeoutMs);
    });
  });
  engine.start();
  await stopped;
  await engine.stop();
  port.close();
}
