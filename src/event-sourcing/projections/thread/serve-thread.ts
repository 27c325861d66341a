import type { MessagePort } from 'node:worker_threads';
import { Engine } from '../engine.js';
import type { ReadSide, Sources } from '../read-side.js';
import { carriedError } from './carried-error.js';
import type { ThreadReport, ThreadRequest } from './projection-thread.js';

/**
 * Keeps a read side up to date for another thread, and reports its state through the message port
 * `port`. Resolves when the other thread has sent `stop` and the engine has stopped.
 */
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
