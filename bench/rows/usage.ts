import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare } from '../comparison.js';
import { answered } from '../load.js';
import type { Options } from '../options.js';
import {
  processorSeconds,
  residentBytes,
  type ServerProcess,
  startService,
  startTask,
} from '../processes.js';
import type { RawLoad } from '../raw-load.js';
import type { Replayed, ReplayTask } from '../replay.js';
import type { Measured } from '../report.js';
import { median, percentile } from '../statistics.js';
import { RECORDS, type Shape, writeReports } from '../usage-dataset.js';
import { buildUsableKeys } from '../verification-dataset.js';
import { askForEach } from './verification.js';

const REPLAY = new URL('replay.js', import.meta.url);
const MOST_ROUNDS = 3;
const REPORTERS = 32;
const ACCEPTED_GOAL = 50_000;
const FOLDED_GOAL = 80_000;
const KEYS_OF_REPORT = 50;
/** A replay of these takes from seconds to a minute, by what the reports name. */
const MOST_FOLDED = 2_000;
const MANY_USERS = 100_000;
const REPORTS_PER_SECOND = 40;
const PAGES_PER_SECOND = 50;
const PAGES_GOAL = 1.25;
const MEGABYTE = 1_000_000;
const MEMORY_GOAL = 384 * MEGABYTE;
const FLAT_GOAL = 1.05;
const SAMPLE_EVERY_MS = 100;
/** The warm-up has a quarter as many reports as are measured: 5,000 before 20,000. */
const WARM_UP = 0.25;

/** Measures reports of usage, with a log of its own. */
export async function usageRows(key: string, options: Options): Promise<Measured[]> {
  const { keysInUse: keys } = options;
  const folded = [
    await foldedRow(key, { keysOfReport: KEYS_OF_REPORT, keys }, options, FOLDED_GOAL),
    await foldedRow(key, { keysOfReport: RECORDS, keys }, options),
    await foldedRow(key, { keysOfReport: KEYS_OF_REPORT, keys, users: MANY_USERS }, options),
  ];
  const served = await withKeys(key, options, async (service) => [
    await acceptedRow(service, key, options),
    await pagesRow(service, key, options),
  ]);
  return [...folded, ...served];
}

/** Measures the memory while all keys in use are reported on again and again. */
export function usageMemoryRow(key: string, options: Options): Promise<Measured> {
  return withKeys(key, options, (service) => memoryRow(service, key, options));
}

async function withKeys<Result>(
  key: string,
  { keys }: Options,
  measure: (service: ServerProcess) => Promise<Result>,
): Promise<Result> {
  return inDirectory(async (dataDir) => {
    await buildUsableKeys(dataDir, key, keys);
    // The first start folds the keys, whose memory must not count.
    await (await startService(dataDir, key)).stop();
    const service = await startService(dataDir, key, { RATE_LIMIT_USAGE: 'off' });
    try {
      return await measure(service);
    } finally {
      await service.stop();
    }
  });
}

async function inDirectory<Result>(use: (dataDir: string) => Promise<Result>): Promise<Result> {
  const dataDir = mkdtempSync(join(tmpdir(), 'keyledger-bench-usage-'));
  try {
    return await use(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Measures how many records per second a replay folds. */
function foldedRow(key: string, shape: Shape, options: Options, goal?: number): Promise<Measured> {
  return inDirectory(async (dataDir) => {
    const reports = Math.min(options.usageReports, MOST_FOLDED);
    await writeReports(dataDir, key, shape, reports);
    const rates: number[] = [];
    for (let round = 0; round < Math.min(options.rounds, MOST_ROUNDS); round++) {
      rmSync(join(dataDir, 'read-models'), { recursive: true, force: true });
      const task: ReplayTask = { settings: { DATA_DIR: dataDir }, ledger: 'usage' };
      const { events, seconds } = (await startTask<Replayed>(REPLAY, task)).answer;
      rates.push((events * RECORDS) / seconds);
    }
    const rate = median(rates);
    const users =
      shape.users === undefined ? '' : `, and ${RECORDS} end users, of ${shape.users} in all`;
    return {
      what: `fold of ${reports} reports of ${RECORDS} records of ${shape.keysOfReport} keys, of ${shape.keys} in all${users}`,
      result: `${Math.round(rate)} records/s`,
      ...(goal !== undefined && { goal: `≥ ${goal} records/s`, met: rate >= goal }),
      detail: `${rates.map(Math.round).join(', ')} records/s`,
    };
  });
}

function reports({ address }: ServerProcess, key: string, { keysInUse }: Options): RawLoad {
  return {
    url: `${address}/v1/usage-reports`,
    key,
    method: 'PUT',
    seconds: 0,
    connections: REPORTERS,
    reports: { keysOfReport: KEYS_OF_REPORT, keys: keysInUse },
  };
}

async function acceptedRow(
  service: ServerProcess,
  key: string,
  options: Options,
): Promise<Measured> {
  const load = { ...reports(service, key, options), seconds: options.seconds };
  await answered(load);
  const before = processorSeconds(service.pid);
  let total = 0;
  const rates: number[] = [];
  for (let round = 0; round < options.rounds; round++) {
    const { answered: count, seconds } = await answered(load);
    rates.push((count * RECORDS) / seconds);
    total += count;
  }
  const milliseconds = ((processorSeconds(service.pid) - before) * 1_000) / total;
  const rate = median(rates);
  return {
    what: `usage records accepted durably, in reports of ${RECORDS} of ${KEYS_OF_REPORT} keys on ${REPORTERS} connections`,
    result: `${Math.round(rate)} records/s`,
    goal: `≥ ${ACCEPTED_GOAL} records/s`,
    met: rate >= ACCEPTED_GOAL,
    detail: `${rates.map(Math.round).join(', ')} records/s; ${milliseconds.toFixed(1)} ms of processor time for a report, with its fold`,
  };
}

/** Measures pages of keys at a fixed rate beside reports at a fixed rate, against pages alone. */
async function pagesRow(service: ServerProcess, key: string, options: Options): Promise<Measured> {
  const url = `${service.address}/v1/keys?limit=50`;
  const beside = `${url}&include_disabled=false`;
  const slowest: Record<string, number[]> = { [url]: [], [beside]: [] };
  const { ratio, first, second } = await compare(
    { url: beside, key, method: 'GET' },
    { url, key, method: 'GET' },
    options,
    async (load) => {
      const come =
        load.url === beside
          ? answered({
              ...reports(service, key, options),
              seconds: load.seconds,
              perSecond: REPORTS_PER_SECOND,
            })
          : undefined;
      const [{ times }] = await Promise.all([
        answered({ ...load, perSecond: PAGES_PER_SECOND }),
        come,
      ]);
      slowest[load.url]?.push(percentile(times, 0.99));
      return median(times);
    },
  );
  const p99 = (of: string): string => median(slowest[of] ?? []).toFixed(1);
  return {
    what: `median time of pages of keys, ${PAGES_PER_SECOND}/s, while ${REPORTS_PER_SECOND} reports/s of ${RECORDS} records come in, against without`,
    result: ratio.toFixed(2),
    goal: `≤ ${PAGES_GOAL}`,
    met: ratio <= PAGES_GOAL,
    detail: `${first.toFixed(1)} ms against ${second.toFixed(1)} ms; p99 ${p99(beside)} ms against ${p99(url)} ms`,
  };
}

async function memoryRow(service: ServerProcess, key: string, options: Options): Promise<Measured> {
  const { keys, keysInUse, usageReports } = options;
  const load = { ...reports(service, key, options), seconds: options.seconds };
  let samples: number[] = [];
  const sampling = setInterval(() => samples.push(residentBytes(service.pid)), SAMPLE_EVERY_MS);
  const highestWhile = async (count: number): Promise<number> => {
    samples = [];
    for (let sent = 0; sent < count;) sent += (await answered(load)).answered;
    return Math.max(...samples);
  };
  try {
    await askForEach(service.address, key, keysInUse);
    await highestWhile(usageReports * WARM_UP);
    const before = await highestWhile(usageReports / 2);
    const after = await highestWhile(usageReports / 2);
    const highest = Math.max(before, after);
    const megabytes = (bytes: number): string => `${Math.round(bytes / MEGABYTE)} MB`;
    return {
      what: `highest resident memory with ${keys} keys, ${keysInUse} in use, over ${usageReports} reports after ${usageReports * WARM_UP}`,
      result: megabytes(highest),
      goal: `≤ ${megabytes(MEMORY_GOAL)}, and flat`,
      met: highest <= MEMORY_GOAL && after / before <= FLAT_GOAL,
      detail: `${megabytes(after)} in the second half against ${megabytes(before)} in the first`,
    };
  } finally {
    clearInterval(sampling);
  }
}
