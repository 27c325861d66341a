import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Comparison } from '../comparison.js';
import { compareCosts } from '../costs.js';
import { answered } from '../load.js';
import type { Options } from '../options.js';
import { processorSeconds, SERVICE, type ServerProcess, startService } from '../processes.js';
import { NEW_KEY } from '../questions.js';
import type { RawLoad } from '../raw-load.js';
import type { Measured } from '../report.js';
import { median } from '../statistics.js';
import { bytesOfReadModels, deleteReadModels } from './replay.js';

/** The most that a build may cost, as a multiple of the other. Smaller differences are noise. */
const GOAL = 1.05;
const MOST_REPLAYS = 5;
const CREATED_AT_ONCE = 64;
const SETTINGS = { RATE_LIMIT_KEY_CREATION: 'off' };

/** A build of the service, with data that it has written itself, over HTTP. */
interface Side {
  readonly program: string;
  readonly dataDir: string;
  readonly keyStrings: readonly string[];
}

const LOADS: readonly Pick<RawLoad, 'method' | 'url'>[] = [
  { method: 'GET', url: '/v1/end-users?limit=50' },
  { method: 'GET', url: '/v1/keys?limit=50' },
  { method: 'GET', url: '/v1/audit-events?limit=50' },
  { method: 'POST', url: '/v1/keys/verify' },
  { method: 'GET', url: '/v1/authorize' },
  { method: 'POST', url: '/v1/end-users' },
  { method: 'POST', url: '/v1/keys' },
];

/** Measures this build against another one in alternate rounds, by the processor time of each. */
export async function buildRows(key: string, options: Options): Promise<Measured[]> {
  if (options.beside === undefined) throw new Error('the row builds needs --beside');
  const directory = mkdtempSync(join(tmpdir(), 'keyledger-bench-builds-'));
  const sideOf = (name: string, program: string): Promise<Side> =>
    writtenBy(program, join(directory, name), key, options);
  try {
    const mine = await sideOf('this', SERVICE);
    const other = await sideOf('other', resolve(options.beside, 'dist/main.js'));
    // The faster build writes more keys in the rows of requests, and a key costs twice as much to
    // replay as an end user.
    return [
      ...(await replayRows(mine, other, key, options)),
      ...(await requestRows(mine, other, key, options)),
    ];
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function start({ program, dataDir }: Omit<Side, 'keyStrings'>, key: string) {
  return startService(dataDir, key, SETTINGS, program);
}

/** Lets a build write its data. */
async function writtenBy(
  program: string,
  dataDir: string,
  key: string,
  { endUsers, keysInUse, connections }: Options,
): Promise<Side> {
  const service = await start({ program, dataDir }, key);
  try {
    const url = `${service.address}/v1/end-users`;
    for (let left = endUsers; left > 0;) {
      const load = { url, key, method: 'POST', seconds: 1, connections } as const;
      left -= (await answered(load)).answered;
    }
    return { program, dataDir, keyStrings: await newKeys(service, key, keysInUse) };
  } finally {
    await service.stop();
  }
}

async function newKeys({ address }: ServerProcess, key: string, count: number): Promise<string[]> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const create = async (): Promise<string> => {
    const request = { method: 'POST', headers, body: NEW_KEY };
    const response = await fetch(`${address}/v1/keys`, request);
    return ((await response.json()) as { key: string }).key;
  };
  const created: string[] = [];
  while (created.length < count)
    created.push(...(await Promise.all(Array.from({ length: CREATED_AT_ONCE }, create))));
  return created;
}

async function requestRows(
  mine: Side,
  other: Side,
  key: string,
  options: Options,
): Promise<Measured[]> {
  const [first, second] = [await start(mine, key), await start(other, key)];
  const rows: Measured[] = [];
  try {
    for (const { method, url } of LOADS) {
      const isVerified = url === '/v1/keys/verify' || url === '/v1/authorize';
      const target = ({ address, pid }: ServerProcess, { keyStrings }: Side) => ({
        url: address + url,
        pid,
        key,
        method,
        ...(isVerified && { keysInUse: keyStrings }),
      });
      const { costs, rates } = await compareCosts(
        target(first, mine),
        target(second, other),
        options,
      );
      const detail = `${rates.first.toFixed(0)}/s against ${rates.second.toFixed(0)}/s`;
      rows.push(row(`${method} ${url}, processor time`, costs, 'µs', detail));
    }
    return rows;
  } finally {
    await Promise.all([first.stop(), second.stop()]);
  }
}

/** Measures starts with and without read models. */
async function replayRows(
  mine: Side,
  other: Side,
  key: string,
  options: Options,
): Promise<Measured[]> {
  const runs: { readonly mine: number; readonly other: number }[] = [];
  const events = { mine: await eventsIn(mine, key), other: await eventsIn(other, key) };
  for (let round = 0; round < Math.min(options.rounds, MOST_REPLAYS); round++) {
    runs.push({
      mine: (await replaySeconds(mine, key)) / events.mine,
      other: (await replaySeconds(other, key)) / events.other,
    });
  }
  const costs: Comparison = {
    ratio: median(runs.map((run) => run.mine / run.other)),
    first: median(runs.map((run) => run.mine)) * 1e6,
    second: median(runs.map((run) => run.other)) * 1e6,
  };
  const bytes = {
    first: bytesOfReadModels(mine.dataDir) / events.mine,
    second: bytesOfReadModels(other.dataDir) / events.other,
  };
  return [
    row('replay, processor time of an event', costs, 'µs', `${events.mine} events`),
    row('bytes of the read models', { ...bytes, ratio: bytes.first / bytes.second }, 'an event'),
  ];
}

/** Counts what was written. The few events of a first start are left out. */
async function eventsIn(side: Side, key: string): Promise<number> {
  const service = await start(side, key);
  const headers = { Authorization: `Bearer ${key}` };
  let events = 0;
  for (const list of ['end-users', 'keys']) {
    const response = await fetch(`${service.address}/v1/${list}?limit=1`, { headers });
    events += ((await response.json()) as { total_count: number }).total_count;
  }
  await service.stop();
  return events;
}

/** Gives the processor time of a start without read models beyond that of a start with them. */
async function replaySeconds(side: Side, key: string): Promise<number> {
  const current = await startSeconds(side, key);
  deleteReadModels(side.dataDir);
  return (await startSeconds(side, key)) - current;
}

async function startSeconds(side: Side, key: string): Promise<number> {
  const service = await start(side, key);
  const seconds = processorSeconds(service.pid);
  await service.stop();
  return seconds;
}

function row(
  what: string,
  { ratio, first, second }: Comparison,
  unit: string,
  detail?: string,
): Measured {
  const numbers = `${first.toFixed(1)} ${unit} against ${second.toFixed(1)} ${unit}`;
  return {
    what,
    result: ratio.toFixed(2),
    goal: `≤ ${GOAL}`,
    met: ratio <= GOAL,
    detail: detail === undefined ? numbers : `${numbers}; ${detail}`,
  };
}
