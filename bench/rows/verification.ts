import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BaselineStarted } from '../baseline/baseline.js';
import { NOTHING_DECIDED } from '../baseline/verification.js';
import type { BesideTask } from '../baseline/beside.js';
import { compare } from '../comparison.js';
import { compareCosts, type Costs, inMicroseconds } from '../costs.js';
import { answered, throughputOf } from '../load.js';
import type { Options } from '../options.js';
import {
  CLI,
  pidOf,
  residentBytes,
  type ServerProcess,
  startServer,
  startService,
  stop,
} from '../processes.js';
import type { RawLoad } from '../raw-load.js';
import type { Measured } from '../report.js';
import { percentile } from '../statistics.js';
import { RECORDS, writeReports } from '../usage-dataset.js';
import { buildUsableKeys, keyStringOf } from '../verification-dataset.js';

const BESIDE = new URL('beside.js', import.meta.url);

const MEGABYTE = 1_000_000;
const ASKED_AT_ONCE = 64;
const SAMPLE_EVERY_MS = 100;
const THROUGHPUT_GOAL = 0.8;
/** With an end user and two budgets, a verification may cost 15 % more than without. */
const WITH_BUDGETS_GOAL = 1.15;
const USERS = 10_000;
/**
 * The goal for the highest memory in the second half of the load, as a multiple of the first half.
 */
const MEMORY_GOAL = 1.1;
const WRITES_GOAL = 1.1;
const WRITES_PER_SECOND = 200;
const WRITERS = 16;

const ROUTES = [
  { method: 'POST', path: '/v1/keys/verify', undecided: NOTHING_DECIDED.verify },
  { method: 'GET', path: '/v1/authorize', undecided: NOTHING_DECIDED.authorize },
] as const;

/**
 * Measures verifications against routes that decide nothing, with a log of its own. All keys may be
 * used.
 */
export async function verificationRows(key: string, options: Options): Promise<Measured[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'keyledger-bench-verification-'));
  try {
    await buildUsableKeys(dataDir, key, options.keys);
    // Each key in use has been used, so that a verification counts its spending.
    const used = { keysOfReport: RECORDS, keys: options.keysInUse };
    await writeReports(dataDir, key, used, Math.ceil(options.keysInUse / RECORDS));
    return await measured(dataDir, key, options);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Measures with an existing log. */
export async function measured(
  dataDir: string,
  key: string,
  options: Options,
): Promise<Measured[]> {
  const writer = await anotherAccount(dataDir);
  // The replay happens before, because its memory must not count for the verifications.
  await (await startService(dataDir, key)).stop();
  const task: BesideTask = { dataDir };
  const { child, answer } = await startServer<BaselineStarted>(BESIDE, task);
  const service = { address: answer.address, pid: pidOf(child) };
  try {
    const memory = memoryOf(service, options);
    await askForEach(service.address, key, options.keysInUse);
    memory.begin();
    const rows: Measured[] = [];
    for (const route of ROUTES) rows.push(await throughputRow(route, service, key, options));
    rows.push(memory.row(), await writesRow(service, { key, writer }, options));
    return [...rows, ...(await budgetRows(service, key, options))];
  } finally {
    await stop(child);
  }
}

/** The process of the service, which also has the routes that decide nothing. */
type Service = Pick<ServerProcess, 'address' | 'pid'>;

async function throughputRow(
  { method, path, undecided }: (typeof ROUTES)[number],
  { address, pid }: Service,
  key: string,
  options: Options,
): Promise<Measured> {
  const { keys, keysInUse } = options;
  const { rates, costs } = await compareCosts(
    { url: address + path, pid, key, method, keysInUse },
    { url: address + undecided, pid, key, method, keysInUse },
    options,
  );
  return {
    what: `\`${method === 'POST' ? 'POST ' : ''}${path}\`, ${keysInUse} of ${keys} keys in use, against the same route that decides nothing`,
    result: rates.ratio.toFixed(2),
    goal: `≥ ${THROUGHPUT_GOAL}`,
    met: rates.ratio >= THROUGHPUT_GOAL,
    detail: `${rates.first.toFixed(0)}/s against ${rates.second.toFixed(0)}/s; ${inMicroseconds(costs)}`,
  };
}

/** Compares questions with an end user, where budgets apply, with such without, before any did. */
async function budgetRows(
  { address, pid }: Service,
  key: string,
  options: Options,
): Promise<Measured[]> {
  const { keysInUse } = options;
  const loads = [
    { method: 'POST', url: `${address}/v1/keys/verify`, undecided: NOTHING_DECIDED.verify },
    { method: 'GET', url: `${address}/v1/authorize/`, undecided: `${NOTHING_DECIDED.authorize}/` },
  ] as const;
  const costsOf = async (users: number): Promise<Costs[]> => {
    const costs: Costs[] = [];
    for (const { method, url, undecided } of loads) {
      const asked = { pid, key, method, keysInUse, users };
      const idle = { ...asked, url: address + undecided };
      costs.push(await compareCosts({ ...asked, url }, idle, options));
    }
    return costs;
  };
  const without = await costsOf(0);
  for (const path of ['/v1/workspaces/default/budget', '/v1/end-user-budget']) {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
    const body = JSON.stringify({ limit: 1_000_000, limit_reset: 'monthly' });
    const { status } = await fetch(address + path, { method: 'PUT', headers, body });
    if (status !== 201) throw new Error(`${path} was answered ${status}`);
  }
  const withBudgets = await costsOf(USERS);
  return loads.map(({ method, url }, index) => {
    const [before, after] = [without[index]?.costs, withBudgets[index]?.costs];
    // What both cost beside the route that decides nothing, because they were measured in turn.
    const ratio = (after?.ratio ?? NaN) / (before?.ratio ?? NaN);
    return {
      what: `processor time of \`${method} ${new URL(url).pathname}\` with one of ${USERS} end users and budgets of the user and the workspace, against without`,
      result: ratio.toFixed(2),
      goal: `≤ ${WITH_BUDGETS_GOAL}`,
      met: ratio <= WITH_BUDGETS_GOAL,
      detail: `${after?.first.toFixed(0)} µs against ${before?.first.toFixed(0)} µs`,
    };
  });
}

/** Asks for every key in use once, which loads the key into memory. */
export async function askForEach(address: string, key: string, keys: number): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const ask = async (number: number): Promise<void> => {
    const body = JSON.stringify({ key: keyStringOf(number) });
    const response = await fetch(`${address}/v1/keys/verify`, { method: 'POST', headers, body });
    const { data } = (await response.json()) as { data?: { valid: boolean } };
    if (data?.valid !== true) throw new Error(`key ${number} may not be used`);
  };
  for (let first = 0; first < keys; first += ASKED_AT_ONCE) {
    const length = Math.min(ASKED_AT_ONCE, keys - first);
    await Promise.all(Array.from({ length }, (_, index) => ask(first + index)));
  }
}

/** Samples the memory of a process until the row takes the result. */
function memoryOf(
  { pid }: Service,
  { keysInUse, keys }: Options,
): { begin(): void; row(): Measured } {
  const samples: number[] = [];
  const atStart = residentBytes(pid);
  let sampling: NodeJS.Timeout | undefined;
  const megabytes = (bytes: number): string => `${Math.round(bytes / MEGABYTE)} MB`;
  return {
    begin() {
      sampling = setInterval(() => samples.push(residentBytes(pid)), SAMPLE_EVERY_MS);
    },
    row() {
      clearInterval(sampling);
      const half = Math.floor(samples.length / 2);
      const before = Math.max(...samples.slice(0, half));
      const after = Math.max(...samples.slice(half));
      return {
        what: `highest resident memory under verifications, ${keysInUse} of ${keys} keys in use, in the second half against the first`,
        result: (after / before).toFixed(2),
        goal: `≤ ${MEMORY_GOAL}`,
        met: after / before <= MEMORY_GOAL,
        detail: `${megabytes(after)} against ${megabytes(before)}; ${megabytes(atStart)} after the start`,
      };
    },
  };
}

/**
 * Measures writes of another account at a fixed rate beside half of the verifications that one
 * process can do. Compares them with writes beside the same rate of the route that decides nothing.
 */
async function writesRow(
  { address }: Service,
  { key, writer }: { readonly key: string; readonly writer: string },
  options: Options,
): Promise<Measured> {
  const { seconds, connections, keysInUse } = options;
  const load = { key, method: 'POST' as const, seconds, connections, keysInUse };
  const url = `${address}/v1/keys/verify`;
  const most = await throughputOf({ ...load, url });
  const perSecond = Math.round(most / 2);
  const writes: RawLoad = {
    url: `${address}/v1/end-users`,
    key: writer,
    method: 'POST',
    seconds,
    connections: WRITERS,
    perSecond: WRITES_PER_SECOND,
  };
  const { ratio, first, second } = await compare(
    { url, key, method: 'POST' },
    { url: address + NOTHING_DECIDED.verify, key, method: 'POST' },
    options,
    async (verified) => {
      const verifications = answered({ ...verified, keysInUse, perSecond });
      const [{ times }] = await Promise.all([answered(writes), verifications]);
      return percentile(times, 0.99);
    },
  );
  return {
    what: `p99 of ${WRITES_PER_SECOND} writes/s of another account beside ${perSecond} verifications/s, half of what one process can do, against beside the route that decides nothing`,
    result: ratio.toFixed(2),
    goal: `≤ ${WRITES_GOAL}`,
    met: ratio <= WRITES_GOAL,
    detail: `${first.toFixed(1)} ms against ${second.toFixed(1)} ms`,
  };
}

/** Creates an account. @returns its management key. */
export async function anotherAccount(dataDir: string): Promise<string> {
  const args = [CLI, 'accounts', 'create', '--name', 'Another', '--owner', 'owner', '--json'];
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return (JSON.parse(stdout) as { management_key: string }).management_key;
}
