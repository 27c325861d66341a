import { compare } from '../comparison.js';
import type { BaselineStarted, BaselineTask } from '../baseline/baseline.js';
import type { Options } from '../options.js';
import { type ServerProcess, startTask, stop } from '../processes.js';
import type { Measured } from '../report.js';

const BASELINE = new URL('baseline.js', import.meta.url);

/** Measures a durable registration against the same route without a store. */
export async function registerRow(
  service: ServerProcess,
  key: string,
  options: Options,
): Promise<Measured> {
  return againstBaseline(service, key, options, {
    what: 'POST /v1/end-users, durable, against the same route that stores nothing',
    path: '/v1/end-users',
    method: 'POST',
    goal: 0.95,
  });
}

/** Measures a page of the list against a static answer of the same bytes. */
export async function listRow(
  service: ServerProcess,
  key: string,
  options: Options,
): Promise<Measured> {
  return againstBaseline(service, key, options, {
    what: 'GET /v1/end-users?limit=50 against a static answer of the same size',
    method: 'GET',
    path: '/v1/end-users?limit=50',
    goal: 0.95,
  });
}

async function againstBaseline(
  service: ServerProcess,
  key: string,
  options: Options,
  row: { what: string; method: 'GET' | 'POST'; path: string; goal: number },
): Promise<Measured> {
  const page = await pageOf(service.address, key);
  const task: BaselineTask = { key, page };
  const { child, answer } = await startTask<BaselineStarted>(BASELINE, task);
  const target = (address: string) => ({ url: address + row.path, key, method: row.method });
  const { ratio, first, second } = await compare(
    target(service.address),
    target(answer.address),
    options,
  ).finally(() => stop(child));
  return {
    what: row.what,
    result: ratio.toFixed(2),
    goal: `≥ ${row.goal}`,
    met: ratio >= row.goal,
    detail: `${first.toFixed(0)}/s against ${second.toFixed(0)}/s`,
  };
}

async function pageOf(address: string, key: string): Promise<object> {
  const response = await fetch(`${address}/v1/end-users?limit=50`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  return (await response.json()) as object;
}
