import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { EventRegistry } from '../../event-sourcing/event-log/event-registry.js';
import { type EventLogPlace, openEventLog } from '../../event-sourcing/event-log/open-event-log.js';
import type { SyncedRow } from '../../event-sourcing/event-log/connection-roles.js';
import { Generations } from '../../event-sourcing/projections/generations.js';
import { type LedgerName, LEDGERS } from '../ledgers/ledgers.js';
import { serveThread } from '../../event-sourcing/projections/thread/serve-thread.js';
import {
  openReadStore,
  type ReadStorePlace,
} from '../../event-sourcing/read-store/open-read-store.js';

/** The input of the thread: the places of log and read store, and how far the log is synced. */
export type ProjectorData = EventLogPlace &
  ReadStorePlace & { readonly name: LedgerName; readonly synced: SyncedRow };

/** The niceness above that of the request thread. On one core, it gets three tenths of the time. */
const NICER_BY = 4;

if (!parentPort) throw new Error('this is the program of a thread of the service');
const place = workerData as ProjectorData;
// Requests have priority over the fold. On other systems a priority applies to the whole process.
if (process.platform === 'linux') {
  setPriority(Math.min(getPriority() + NICER_BY, constants.priority.PRIORITY_LOW));
}
const { synced } = place;
const { events, readSide } = LEDGERS[place.name];
const store = await openReadStore(place);
const generations = new Generations(readSide, store);
const role = { as: 'checkpointer', synced } as const;
const log = await openEventLog(place, { role }, () => generations.latestPosition());
const sources = { log, registry: new EventRegistry(events), store };
await serveThread(parentPort, readSide, sources);
await store.close();
await log.close();
// Reads that no caller waits for any more may have left timers.
process.exit();
