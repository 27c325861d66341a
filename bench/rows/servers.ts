import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventStoreDbServer } from '../../test/support/backends/eventstoredb-server.js';
import { SimulatorProcess } from '../../test/support/backends/eventstoredb-simulator/simulator-process.js';
import { compare } from '../comparison.js';
import { buildLog } from '../dataset.js';
import type { Options } from '../options.js';
import { type ServerProcess, startService } from '../processes.js';
import type { Measured } from '../report.js';
import { appendRows, nameOf, type OnLogServer, replayAgainstBare } from './log-server.js';

/** The number of end users in the row that lists them. */
const LISTED = 100;
/** Requests one after another, over which calls are counted. */
const REQUESTS = 200;

interface Sides {
  readonly served: ServerProcess;
  readonly embedded: ServerProcess;
  readonly key: string;
  readonly names: string;
  readonly options: Options;
  readonly side: OnLogServer;
  readonly log: EventStoreDbServer;
}

/** Measures the service on an EventStoreDB and a MongoDB, as the tests find or start them. */
export async function serverRows(key: string, options: Options): Promise<Measured[]> {
  const { startEventStoreDb } = await import('../../test/support/backends/start-eventstoredb.js');
  const { startMongoDb } = await import('../../test/support/backends/start-mongodb.js');
  const [eventLog, readStore] = await Promise.all([
    startEventStoreDb({ pace: 'real' }),
    startMongoDb(),
  ]);
  const dataDir = mkdtempSync(join(tmpdir(), 'keyledger-bench-servers-'));
  const directory = (name: string): string => join(dataDir, name);
  const { connectionString } = eventLog;
  const both = () => ({
    EVENTSTOREDB_CONNECTION_STRING: connectionString,
    MONGODB_URI: readStore.freshUri(),
  });
  const readModels = readStore.kind === 'simulator' ? 'the simulator of MongoDB' : 'MongoDB';
  const names = `${nameOf(eventLog)} and ${readModels}`;
  const side: OnLogServer = { connectionString, name: nameOf(eventLog), key, options };
  try {
    await buildLog(directory('listed'), key, LISTED, both(), randomUUID());
    await buildLog(directory('embedded'), key, LISTED);
    const served = await startService(directory('served'), key, both());
    const embedded = await startService(directory('embedded'), key);
    const rows = await besideEmbedded({
      served,
      embedded,
      key,
      names,
      options,
      side,
      log: eventLog,
    });
    await buildLog(directory('written'), key, options.serverEvents, both(), randomUUID());
    const logAlone = { settings: { DATA_DIR: directory('replayed') }, logServer: connectionString };
    return [
      ...rows,
      await replayAgainstBare(logAlone, 'the embedded read models', side),
      await replayAgainstBare({ settings: both() }, readModels, side, false),
    ];
  } finally {
    await Promise.all([eventLog.stop(), readStore.stop()]);
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Measures both services, and stops them. */
async function besideEmbedded(sides: Sides): Promise<Measured[]> {
  try {
    return [
      await againstEmbedded('GET', '/v1/end-users?limit=50', sides),
      await againstEmbedded('POST', '/v1/end-users', sides),
      ...(await appendRows(sides.served, sides.side)),
      ...(await callRows(sides)),
    ];
  } finally {
    await Promise.all([sides.served.stop(), sides.embedded.stop()]);
  }
}

/**
 * Counts the calls of the log server for a request, those of the fold and of looks at the head
 * included.
 */
async function callRows({ served, key, log }: Sides): Promise<Measured[]> {
  if (!(log instanceof SimulatorProcess)) return [];
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const rows: Measured[] = [];
  for (const method of ['POST', 'GET'] as const) {
    const before = await log.counts();
    for (let request = 0; request < REQUESTS; request++) {
      const body = method === 'POST' ? JSON.stringify({ user: randomUUID() }) : null;
      await (await fetch(`${served.address}/v1/end-users`, { method, headers, body })).text();
    }
    const after = await log.counts();
    const calls = (what: 'appends' | 'streamReads' | 'logReads'): string =>
      ((after[what] - before[what]) / REQUESTS).toFixed(2);
    rows.push({
      what: `calls of the log server for ${method} /v1/end-users`,
      result: `${calls('appends')} appends`,
      detail: `${calls('streamReads')} reads of a stream, ${calls('logReads')} of the log`,
    });
  }
  return rows;
}

async function againstEmbedded(
  method: 'GET' | 'POST',
  path: string,
  { served, embedded, key, names, options }: Sides,
): Promise<Measured> {
  const { ratio, first, second } = await compare(
    { url: served.address + path, key, method },
    { url: embedded.address + path, key, method },
    options,
  );
  return {
    what: `${method} ${path} with ${names} against the embedded backends`,
    result: ratio.toFixed(2),
    detail: `${first.toFixed(0)}/s against ${second.toFixed(0)}/s`,
  };
}
