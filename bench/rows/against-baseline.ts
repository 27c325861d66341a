import { compareCosts, inMicroseconds } from '../costs.js';
import type { BaselineStarted, BaselineTask } from '../baseline/baseline.js';
import type { Options } from '../options.js';
import { pidOf, type ServerProcess, startServer, stop } from '../processes.js';
import type { Measured } from '../report.js';

const BASELINE = new URL('baseline.js', import.meta.url);

interface Row {
  readonly what: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /**
   * The goals of the baseline's processor time over the service's, and of the rate over the
   * baseline's.
   */
  readonly goals: { readonly cost: number; readonly rate: number };
}

/** Measures a durable registration against the same route without a store. */
export async function registerRow(
  service: ServerProcess,
  key: string,
  options: Options,
): Promise<Measured[]> {
  return againstBaseline(service, key, options, {
    what: 'POST /v1/end-users, durable, against the same route that stores nothing',
    path: '/v1/end-users',
    method: 'POST',
    goals: { cost: 0.7, rate: 1 },
  });
}

/** Measures a page of the list against a static answer of the same bytes. */
export async function listRow(
  service: ServerProcess,
  key: string,
  options: Options,
): Promise<Measured[]> {
  return againstBaseline(service, key, options, {
    what: 'GET /v1/end-users?limit=50 against a static answer of the same size',
    method: 'GET',
    path: '/v1/end-users?limit=50',
    goals: { cost: 0.95, rate: 0.95 },
  });
}

async function againstBaseline(
  service: ServerProcess,
  key: string,
  options: Options,
  { what, method, path, goals }: Row,
): Promise<Measured[]> {
  const page = await pageOf(service.address, key);
  const task: BaselineTask = { key, page };
  const { child, answer } = await startServer<BaselineStarted>(BASELINE, task);
  const target = (address: string, pid: number) => ({ url: address + path, pid, key, method });
  const served = target(service.address, service.pid);
  const bare = target(answer.address, pidOf(child));
  let compared;
  try {
    compared = await compareCosts(served, bare, options);
  } finally {
    await stop(child);
  }
  const { rates, costs } = compared;
  const share = 1 / costs.ratio;
  return [
    {
      what: `${what}, by processor time`,
      result: share.toFixed(2),
      goal: `≥ ${goals.cost}`,
      met: share >= goals.cost,
      detail: inMicroseconds(costs),
    },
    {
      what: 'the same, by throughput',
      result: rates.ratio.toFixed(2),
      // On one core the rate is the processor time once more.
      ...(!options.pin && { goal: `≥ ${goals.rate}`, met: rates.ratio >= goals.rate }),
      detail: `${rates.first.toFixed(0)}/s against ${rates.second.toFixed(0)}/s`,
    },
  ];
}

async function pageOf(address: string, key: string): Promise<object> {
  const response = await fetch(`${address}/v1/end-users?limit=50`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  return (await response.json()) as object;
}
