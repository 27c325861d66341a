import { setPriority } from 'node:os';
import { parentPort, resourceLimits, Worker, workerData } from 'node:worker_threads';
import { openEmbeddedLog } from './event-log/embedded-event-log.js';
import { EventRegistry } from './event-log/event-registry.js';
import { EVENTS, PROJECTIONS } from './events-and-projections.js';
import { replayIn, type ReplayThread } from './projections/thread/replay-in.js';
import { serveThread } from './projections/thread/serve-thread.js';
import { openEmbeddedReadStore } from './read-store/embedded-read-store.js';
import type { ReplayData } from './replay-thread.js';

/** What the thread is begun with. */
export interface ProjectorData {
  readonly dataDir: string;
}

const REPLAY = new URL('replay-thread.js', import.meta.url);
/** Where there are fewer cores than threads with work, it has three tenths of one beside the thread of requests. */
const NICENESS = 4;

if (!parentPort) throw new Error('this is the program of a thread of the service');
const { dataDir } = workerData as ProjectorData;
// Whoever asks goes before what is folded. Elsewhere a priority is that of the whole process.
if (process.platform === 'linux') setPriority(NICENESS);
const log = openEmbeddedLog(dataDir, 'by-commits');
const store = openEmbeddedReadStore(dataDir, 'folds');
const sources = { log, registry: new EventRegistry(EVENTS), store };
await serveThread(parentPort, PROJECTIONS, sources, {
  elsewhere: ({ name }, options) => replayIn(beginReplay(name), options),
});
await store.close();
await log.close();
// Readers that nobody waits for any more may have left timers.
process.exit();

function beginReplay(projection: string): ReplayThread {
  return new Worker(REPLAY, {
    workerData: { dataDir, projection } satisfies ReplayData,
    // As its own.
    resourceLimits,
  });
}
