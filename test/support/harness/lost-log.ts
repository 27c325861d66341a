import type { Backends } from './backends.js';
import { limitFileSize } from './file-faults.js';
import type { ServiceProcess } from './service-process.js';

/**
 * Runs an action while a service cannot append: its disk is full, or the server of its event log is
 * stopped.
 */
export async function whileLogIsLost(
  { logServer }: Backends,
  { child: { pid = 0 } }: ServiceProcess,
  work: () => Promise<void>,
): Promise<void> {
  if (logServer) {
    await logServer.kill();
    await work();
    await logServer.restart();
    return;
  }
  await limitFileSize(pid, 0);
  await work();
  await limitFileSize(pid, 'unlimited');
}
