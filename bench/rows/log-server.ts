import type { EventStoreDbServer } from '../../test/support/backends/eventstoredb-server.js';
import type { BareResult, BareTask } from '../bare-client.js';
import { throughputOf } from '../load.js';
import type { Options } from '../options.js';
import { type ServerProcess, startTask } from '../processes.js';
import type { Replayed, ReplayTask } from '../replay.js';
import type { Measured } from '../report.js';
import { median } from '../statistics.js';
import { bareAppendMs, registrationMs } from '../write-latency.js';

const REPLAY = new URL('replay.js', import.meta.url);
const BARE = new URL('bare-client.js', import.meta.url);
/** The goal as a share of the bare filtered subscription of the same client. */
const REPLAY_GOAL = 0.45;
/**
 * The goal as a share of the bare classic append of the same client, with the same number at once.
 */
const APPEND_GOAL = 0.65;
const APPENDS_AT_ONCE = 32;
/**
 * Loads before the first round. A log server allows few requests per second, so V8 compiles late.
 */
const WARM_UPS = 4;

/** The name of the simulator in the report, with the times of `pace.ts`. */
const SIMULATOR =
  'the EventStoreDB simulator (an append takes 1.5 ms alone, 32 at once make 2,200/s)';

/** A log server and the service on it. */
export interface OnLogServer {
  readonly connectionString: string;
  readonly name: string;
  readonly key: string;
  readonly options: Options;
}

/** Gives the name of the server in the report. */
export function nameOf({ isSimulator }: EventStoreDbServer): string {
  return isSimulator ? SIMULATOR : 'EventStoreDB';
}

/**
 * Measures how many registrations at once, and how fast a single one, the service takes on the log
 * server.
 */
export async function appendRows(served: ServerProcess, side: OnLogServer): Promise<Measured[]> {
  return [await appendRow(served, side), await latencyRow(served, side)];
}

/**
 * Replays the whole log against the bare subscription. The read models on another server have no
 * goal.
 */
export async function replayAgainstBare(
  task: ReplayTask,
  readModels: string,
  { connectionString, name, options }: OnLogServer,
  hasGoal = true,
): Promise<Measured> {
  const bare = await bareRate(connectionString, 'subscribe', options);
  const { events, seconds, longestPauseMs } = (await startTask<Replayed>(REPLAY, task)).answer;
  const rate = events / seconds;
  const ratio = rate / bare;
  return {
    what: `replay of ${events} events from ${name} into ${readModels}`,
    result: `${ratio.toFixed(2)} of the bare subscription`,
    ...(hasGoal && { goal: `≥ ${REPLAY_GOAL}`, met: ratio >= REPLAY_GOAL }),
    detail: `one run: ${Math.round(rate)}/s against ${Math.round(bare)}/s; event loop never held longer than ${longestPauseMs.toFixed(0)} ms`,
  };
}

/**
 * Measures registrations against appends of the same event to the same server, with the same number
 * at once.
 */
async function appendRow(
  { address }: ServerProcess,
  { connectionString, name, key, options }: OnLogServer,
): Promise<Measured> {
  const { rounds, seconds } = options;
  const target = { url: `${address}/v1/end-users`, key, method: 'POST' } as const;
  const load = { ...target, seconds, connections: APPENDS_AT_ONCE };
  for (let warmUp = 0; warmUp < WARM_UPS; warmUp++) await throughputOf(load);
  const pairs: (readonly [number, number])[] = [];
  for (let round = 0; round < rounds; round++) {
    const appends = await bareRate(connectionString, 'append', options);
    pairs.push([await throughputOf(load), appends]);
  }
  const ratio = median(pairs.map(([registrations, appends]) => registrations / appends));
  const [first, second] = [0, 1].map((side) => median(pairs.map((pair) => pair[side] ?? NaN)));
  return {
    what: `POST /v1/end-users, ${APPENDS_AT_ONCE} at once, against the bare classic append to ${name}`,
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
  { address }: ServerProcess,
  { connectionString, name, key, options: { rounds, seconds } }: OnLogServer,
): Promise<Measured> {
  const appends: number[] = [];
  const registrations: number[] = [];
  for (let round = 0; round < rounds; round++) {
    appends.push(...(await bareAppendMs(connectionString, seconds)));
    registrations.push(...(await registrationMs(address, key, seconds)));
  }
  const append = percentiles(appends);
  const registration = percentiles(registrations);
  return {
    what: `time of a registration against a bare append of the same event to ${name}`,
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
