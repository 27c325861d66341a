import type { MessagePort } from 'node:worker_threads';
import { Engine } from '../engine.js';
import type { ReadSide, Sources } from '../read-side.js';
import { carriedError } from './carried-error.js';
import type { ThreadReport, ThreadRequest } from './projection-thread.js';

/** Folds for another thread until that sends `stop`, and reports the state through `port`. */
export async function serveThread(
  port: MessagePort,
  readSide: ReadSide,
  sources: Sources,
): Promise<void> {
  const engine = new Engine(readSide, sources, ({ fault, ...changes }) => {
    const sent = fault === undefined ? {} : { fault: fault === null ? null : carriedError(fault) };
    port.postMessage({
      ...changes,
      ...sent,
    } satisfies ThreadReport);
  });
  const stopped = new Promise<void>((resolve) => {
    port.on('message', (request: ThreadRequest) => {
      if (request.kind === 'stop') resolve();
      else engine.hurry(request.position, request.timeoutMs);
    });
  });
  engine.start();
  await stopped;
  await engine.stop();
  port.close();
}
