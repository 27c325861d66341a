import type { Replay } from '../catch-up.js';
import { restored } from './carried-error.js';
import type { ReplayReport, StopRequest } from './thread-messages.js';

/** A thread that runs `serveReplay`, as the runtime's `Worker` is one. */
export interface ReplayThread {
  on(event: 'message', heard: (report: ReplayReport) => void): unknown;
  on(event: 'error', failed: (fault: Error) => void): unknown;
  on(event: 'exit', ended: (code: number) => void): unknown;
  postMessage(request: StopRequest): void;
}

/**
 * Resolves when a thread that replays the log has ended, which it soon does once the signal aborts.
 * @throws what kept it from that.
 */
export async function replayIn(
  thread: ReplayThread,
  { signal, onProgress }: Replay,
): Promise<void> {
  let fault: Error | undefined;
  const stop = (): void => thread.postMessage({ kind: 'stop' });
  thread.on('message', (report) => {
    if (report.kind === 'failed') fault = restored(report.error);
    else onProgress(report.position, report.eventsFolded);
  });
  thread.on('error', (error) => (fault = error));
  const ended = new Promise((resolve) => thread.on('exit', resolve));
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  await ended;
  signal.removeEventListener('abort', stop);
  if (fault) throw fault;
}
