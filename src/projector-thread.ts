import { setPriority } from 'node:os';
import { parentPort, resourceLimits, Worker, workerData } from 'node:worker_threads';
import type { CatchUpData } from './catch-up-thread.js';
import { openEmbeddedLog } from './event-log/embedded-event-log.js';
import { EventRegistry } from './event-log/event-registry.js';
import { EVENTS, PROJECTIONS } from './events-and-projections.js';
import { catchUpIn, type CatchUpThread } from './projections/thread/catch-up-in.js';
import { serveThread } from './projections/thread/serve-thread.js';
import { openEmbeddedReadStore } from './read-store/embedded-read-store.js';

/** What the thread is begun with. */
export interface ProjectorData {
  readonly dataDir: string;
}

const CATCH_UP = new URL('catch-up-thread.js', import.meta.url);
/** Some 2 s of folding. */
const WORTH_A_THREAD = 50_000;
/** Where there are fewer cores than threads with work, it has three tenths of one beside the thread of requests. */
const NICENESS = 4;

if (!parentPort) throw new Error('this is the program of a thread of the service');
const { dataDir } = workerData as ProjectorData;
// Whoever asks goes before what is folded. Elsewhere a priority is that of the whole process.
if (process.platform === 'linux') setPriority(NICENESS);
const log = openEmbeddedLog(dataDir, 'follows');
const store = openEmbeddedReadStore(dataDir, 'folds');
const sources = { log, registry: new EventRegistry(EVENTS), store };
await serveThread(parentPort, PROJECTIONS, sources, {
  from: WORTH_A_THREAD,
  catchUp: ({ name }, options) => catchUpIn(beginCatchUp(name, options.generation), options),
});
await store.close();
await log.close();
// Readers that nobody waits for any more may have left timers.
process.exit();

function beginCatchUp(projection: string, generation: number): CatchUpThread {
  return new Worker(CATCH_UP, {
    workerData: { dataDir, projection, generation } satisfies CatchUpData,
    // As its own.
    resourceLimits,
  });
}
