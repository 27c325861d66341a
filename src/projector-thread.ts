import { parentPort, workerData } from 'node:worker_threads';
import { openEmbeddedLog } from './event-log/embedded-event-log.js';
import { EventRegistry } from './event-log/event-registry.js';
import { EVENTS, PROJECTIONS } from './events-and-projections.js';
import { serveThread } from './projections/thread/serve-thread.js';
import { openEmbeddedReadStore } from './read-store/embedded-read-store.js';

/** What the thread is begun with. */
export interface ProjectorData {
  readonly dataDir: string;
}

if (!parentPort) throw new Error('this is the program of a thread of the service');
const { dataDir } = workerData as ProjectorData;
const log = openEmbeddedLog(dataDir, 'follows');
const store = openEmbeddedReadStore(dataDir, 'folds');
await serveThread(parentPort, PROJECTIONS, { log, registry: new EventRegistry(EVENTS), store });
await store.close();
await log.close();
// Readers that nobody waits for any more may have left timers.
process.exit();
