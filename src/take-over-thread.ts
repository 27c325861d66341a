import { parentPort, workerData } from 'node:worker_threads';
import { takeOverEmbeddedLog } from './event-log/embedded-event-log.js';

/** What the thread is begun with. */
export interface TakeOverData {
  readonly dataDir: string;
}

if (!parentPort) throw new Error('this is the program of a thread of the service');
await takeOverEmbeddedLog(parentPort, (workerData as TakeOverData).dataDir);
process.exit();
