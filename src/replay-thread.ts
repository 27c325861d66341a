import { parentPort, workerData } from 'node:worker_threads';
import { openEmbeddedLog } from './event-log/embedded-event-log.js';
import { EventRegistry } from './event-log/event-registry.js';
import { EVENTS, PROJECTIONS } from './events-and-projections.js';
import { named } from './projections/projection.js';
import { serveReplay } from './projections/thread/serve-replay.js';
import { openEmbeddedReadStore } from './read-store/embedded-read-store.js';

/** What the thread is begun with. */
export interface ReplayData {
  readonly dataDir: string;
  readonly projection: string;
}

if (!parentPort) throw new Error('this is the program of a thread of the service');
const { dataDir, projection } = workerData as ReplayData;
const log = openEmbeddedLog(dataDir, 'by-commits');
const store = openEmbeddedReadStore(dataDir, 'folds');
const sources = { log, registry: new EventRegistry(EVENTS), store };
await serveReplay(parentPort, named(projection, PROJECTIONS), sources);
await store.close();
await log.close();
process.exit();
