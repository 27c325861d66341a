import type { MessagePort } from 'node:worker_threads';
import type { DomainEvent } from '../../kernel/event.js';
import type { Sources } from '../fold-afresh.js';
import type { RebuildNews } from '../outdated-projections.js';
import type { Projection } from '../projection.js';
import type { ProjectionObserver } from '../projection-observer.js';
import type { Projector } from '../projector.js';
import { Projectors, type ReplayOptions } from '../projectors.js';
import { carried } from './carried-error.js';
import type { ThreadReport, ThreadRequest } from './thread-messages.js';

/**
 * Keeps projections up to date for another thread, and tells it through `port` where they stand, until it says stop.
 * Resolves when all have ended at a checkpoint.
 */
export async function serveThread(
  port: MessagePort,
  projections: readonly Projection<DomainEvent>[],
  sources: Sources,
  replays?: ReplayOptions,
): Promise<void> {
  const report = (told: ThreadReport): void => port.postMessage(told);
  const observer: ProjectionObserver = {
    // Where it stands says it too.
    tell: () => undefined,
    onRebuild: (news) => report(reportOf(news)),
  };
  const projectors = new Projectors(projections, sources, observer, replays);
  for (const projector of projectors.all) {
    projector.observe(() => report({ kind: 'standing', ...standingOf(projector) }));
  }
  const stopped = new Promise<void>((resolve) => {
    port.on('message', (request: ThreadRequest) => {
      if (request.kind === 'stop') resolve();
      // Log or read store cannot be reached then, which the projector meets and tells.
      else hurry(projectors, sources, request).catch(() => undefined);
    });
  });
  projectors.start();
  await stopped;
  await projectors.stop();
  port.close();
}

/**
 * Folds at once what would have been gathered, or looked for later. Who waits in vain reads what there is, for which
 * there must be the indexes that a long replay puts off.
 */
async function hurry(
  { all }: Projectors,
  { log }: Sources,
  { projection, position, timeoutMs }: Extract<ThreadRequest, { kind: 'hurry' }>,
): Promise<void> {
  const projector = all.find((one) => one.projection.name === projection);
  const waiting = projector?.progress.waitFor(position, timeoutMs);
  await log.head();
  if (!(await waiting)) await projector?.model.snapshot(async () => undefined);
}

function standingOf({ projection, model, progress, state, fault, eventsFolded }: Projector) {
  return {
    projection: projection.name,
    generation: model.generation,
    position: progress.position,
    state,
    fault: fault === null ? null : carried(fault),
    eventsFolded,
  };
}

function reportOf(news: RebuildNews): ThreadReport {
  if (news.state !== 'failed') return { kind: 'rebuild', news };
  return { kind: 'rebuild-failed', projection: news.projection, error: carried(news.error) };
}
