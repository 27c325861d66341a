import { parentPort, workerData } from 'node:worker_threads';
import { checkpointEmbeddedLog } from '../../event-sourcing/event-log/embedded-event-log.js';

/** The input of the thread. */
export interface WalCheckpointData {
  readonly dataDir: string;
}

if (!parentPort) throw new Error('this is the program of a thread of the service');
await checkpointEmbeddedLog(parentPort, (workerData as WalCheckpointData).dataDir);
process.exit();
