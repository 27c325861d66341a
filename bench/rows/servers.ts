import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStoreDbServer } from '../../test/backends/eventstoredb-server.js';
import type { MongoDbServer } from '../../test/backends/start-mongodb.js';
import type { BareResult, BareTask } from '../bare-client.js';
import { compare } from '../comparison.js';
import { buildLog } from '../dataset.js';
import { throughputOf } from '../load.js';
import type { Options } from '../options.js';
import { type ServerProcess, startService, startTask } from '../processes.js';
import type { Replayed, ReplayTask } from '../replay.js';
import type { Measured } from '../report.js';
import { median } from '../statistics.js';
import { bareAppendMs, registrationMs } from '../write-latency.js';

const REPLAY = new URL('../replay.js', import.meta.url);
const BARE = new URL('../bare-client.js', import.meta.url);
/** Of the bare filtered subscription of the same client. */
const REPLAY_GOAL = 0.6;
/** Of the bare classic append of the same client, with so many at once. */
const APPEND_GOAL = 0.8;
const APPENDS_AT_ONCE = 32;
/** The number of end users in the row that lists them. */
const LISTED = 100;

/** The name of the simulator in the report, with the times of `pace.ts`. */
const SIMULATOR =
  'the EventStoreDB simulator (an append takes 1.5 ms alone, 32 at once make 2,200/s)';

/** The kinds of the servers, which every row names. */
interface Found {
  readonly eventLog: string;
  readonly readStore: string;
  /** Whether both servers are real ones. */
  readonly areReal: boolean;
}

interface Sides {
  readonly served: ServerProcess;
  readonly embedded: ServerProcess;
  readonly key: string;
  readonly found: Found;
  readonly options: Options;
}

/** Measures the service on an EventStoreDB and a MongoDB, as the tests find or start them. */
export async function serverRows(key: string, options: Options): Promise<Measured[]> {
  // Loading these modules searches for a MongoDB, which takes time.
  const { startEventStoreDb } = await import('../../test/backends/start-eventstoredb.js');
  const { startMongoDb } = await import('../../test/backends/start-mongodb.js');
  const [eventLog, readStore] = await Promise.all([
    startEventStoreDb({ pace: 'real' }),
    startMongoDb(),
  ]);
  const dataDir = mkdtempSync(join(tmpdir(), 'keyledger-bench-servers-'));
  try {
    return await measured(key, options, dataDir, eventLog, readStore);
  } finally {
    await Promise.all([eventLog.stop(), readStore.stop()]);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measured(
  key: string,
  options: Options,
  dataDir: string,
  eventLog: EventStoreDbServer,
  readStore: MongoDbServer,
): Promise<Measured[]> {
  const found: Found = {
    eventLog: eventLog.isSimulator ? SIMULATOR : 'EventStoreDB',
    readStore: readStore.kind === 'ferretdb' ? 'FerretDB' : 'MongoDB',
    areReal: !eventLog.isSimulator && readStore.kind !== 'ferretdb',
  };
  const onEventLog = { EVENTSTOREDB_CONNECTION_STRING: eventLog.connectionString };
  const onBoth = (): Record<string, string> => ({
    ...onEventLog,
    MONGODB_URI: readStore.freshUri(),
  });
  const directory = (name: string): string => join(dataDir, name);
  await buildLog(directory('listed'), key, LISTED, onEventLog, randomUUID());
  await buildLog(directory('embedded'), key, LISTED);
  const served = await startService(directory('served'), key, onBoth());
  const embedded = await startService(directory('embedded'), key);
  const rows: Measured[] = [];
  try {
    const sides = { served, embedded, key, found, options };
    rows.push(
      await againstEmbedded('GET', '/v1/end-users?limit=50', sides),
      await againstEmbedded('POST', '/v1/end-users', sides),
      await latencyRow(eventLog.connectionString, sides),
      await appendRow(eventLog.connectionString, sides),
    );
  } finally {
    await Promise.all([served.stop(), embedded.stop()]);
  }
  // The list row comes before this, because FerretDB reads all end users for each page.
  await buildLog(directory('replayed-later'), key, options.serverEvents, onEventLog, randomUUID());
  const replayed = { ...onEventLog, DATA_DIR: directory('replayed') };
  const bare = await bareRate(eventLog.connectionString, 'subscribe', options);
  rows.push(await replayRow(found.eventLog, replayed, bare, true));
  const onServers = { ...onBoth(), DATA_DIR: directory('replayed-on-both') };
  rows.push(
    await replayRow(`${found.eventLog} and ${found.readStore}`, onServers, bare, found.areReal),
  );
  return rows;
}

async function replayRow(
  servers: string,
  settings: Readonly<Record<string, string>>,
  bare: number,
  hasGoal: boolean,
): Promise<Measured> {
  const task: ReplayTask = { settings };
  const { events, seconds, longestPauseMs } = (await startTask<Replayed>(REPLAY, task)).answer;
  const rate = events / seconds;
  const ratio = rate / bare;
  return {
    what: `replay of ${events} events into all read models, with ${servers}`,
    result: `${ratio.toFixed(2)} of the bare subscription`,
    ...(hasGoal && { goal: `≥ ${REPLAY_GOAL}`, met: ratio >= REPLAY_GOAL }),
    detail: `one run: ${Math.round(rate)}/s against ${Math.round(bare)}/s; event loop never held longer than ${longestPauseMs.toFixed(0)} ms`,
  };
}

async function againstEmbedded(
  method: 'GET' | 'POST',
  path: string,
  { served, embedded, key, found, options }: Sides,
): Promise<Measured> {
  const { ratio, first, second } = await compare(
    { url: served.address + path, key, method },
    { url: embedded.address + path, key, method },
    options,
  );
  return {
    what: `${method} ${path} with ${found.eventLog} and ${found.readStore} against the embedded backends`,
    result: ratio.toFixed(2),
    detail: `${first.toFixed(0)}/s against ${second.toFixed(0)}/s`,
  };
}

/** Registrations against appends of the same event to the same server, so many at once. */
async function appendRow(
  connectionString: string,
  { served, key, found, options }: Sides,
): Promise<Measured> {
  const { rounds, seconds } = options;
  const target = { url: `${served.address}/v1/end-users`, key, method: 'POST' } as const;
  const load = { ...target, seconds, connections: APPENDS_AT_ONCE };
  await throughputOf(load);
  const pairs: (readonly [number, number])[] = [];
  for (let round = 0; round < rounds; round++) {
    const appends = await bareRate(connectionString, 'append', options);
    pairs.push([await throughputOf(load), appends]);
  }
  const ratio = median(pairs.map(([registrations, appends]) => registrations / appends));
  const [first, second] = [0, 1].map((side) => median(pairs.map((pair) => pair[side] ?? NaN)));
  return {
    what: `POST /v1/end-users, ${APPENDS_AT_ONCE} at once, against the bare classic append to ${found.eventLog}`,
    result: ratio.toFixed(2),
    goal: `≥ ${APPEND_GOAL}`,
    met: ratio >= APPEND_GOAL,
    detail: `${first?.toFixed(0)}/s against ${second?.toFixed(0)}/s`,
  };
}

async function bareRate(
  connectionString: string,
  what: BareTask['what'],
  { seconds }: Options,
): Promise<number> {
  const task: BareTask = { connectionString, what, seconds, atOnce: APPENDS_AT_ONCE };
  return (await startTask<BareResult>(BARE, task)).answer.perSecond;
}

/** Measures one registration at a time against one append at a time to the same server. */
async function latencyRow(
  connectionString: string,
  { served, key, found, options: { rounds, seconds } }: Sides,
): Promise<Measured> {
  const appends: number[] = [];
  const registrations: number[] = [];
  for (let round = 0; round < rounds; round++) {
    appends.push(...(await bareAppendMs(connectionString, seconds)));
    registrations.push(...(await registrationMs(served.address, key, seconds)));
  }
  const append = percentiles(appends);
  const registration = percentiles(registrations);
  return {
    what: `time of a registration against a bare append of the same event to ${found.eventLog}`,
    result: (registration.median / append.median).toFixed(2),
    detail:
      `median ${registration.median.toFixed(2)} ms against ${append.median.toFixed(2)} ms, ` +
      `99th percentile ${registration.p99.toFixed(2)} ms against ${append.p99.toFixed(2)} ms`,
  };
}

function percentiles(times: readonly number[]): { readonly median: number; readonly p99: number } {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor((sorted.length - 1) * share)] ?? NaN;
  return { median: at(0.5), p99: at(0.99) };
}
