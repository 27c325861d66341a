import { parentPort, workerData } from 'node:worker_threads';
import { openEmbeddedLog } from './event-log/embedded-event-log.js';
import { EventRegistry } from './event-log/event-registry.js';
import { EVENTS, PROJECTIONS } from './events-and-projections.js';
import { named } from './projections/projection.js';
import { serveCatchUp } from './projections/thread/serve-catch-up.js';
import { openEmbeddedReadStore } from './read-store/embedded-read-store.js';

/** What the thread is begun with. */
export interface CatchUpData {
  readonly dataDir: string;
  readonly projection: string;
  readonly generation: number;
}

if (!parentPort) throw new Error('this is the program of a thread of the service');
const { dataDir, projection: name, generation } = workerData as CatchUpData;
const projection = named(name, PROJECTIONS);
// It reads the log, and leaves the write-ahead log to the thread that follows it.
const log = openEmbeddedLog(dataDir, 'by-itself');
const store = openEmbeddedReadStore(dataDir, 'helps');
const sources = { log, registry: new EventRegistry(EVENTS), store };
await serveCatchUp(parentPort, { projection, generation }, sources);
await store.close();
await log.close();
process.exit();
