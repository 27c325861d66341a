import { compare, type Comparison } from '../comparison.js';
import type { BaselineStarted, BaselineTask } from '../baseline/baseline.js';
import type { Options } from '../options.js';
import { type ServerProcess, startTask, stop } from '../processes.js';
import type { Measured } from '../report.js';

const BASELINE = new URL('../baseline/baseline.js', import.meta.url);

interface Row {
  readonly what: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly goal: number;
}

/** Durable registration against the same route that stores nothing. */
export function registerRows(
  service: ServerProcess,
  key: string,
  options: Options,
): Promise<Measured[]> {
  return againstBaselines(service, key, options, {
    what: 'POST /v1/end-users, durable, against the same route that stores nothing',
    path: '/v1/end-users',
    method: 'POST',
    goal: 0.8,
  });
}

/** A page of the list against a static answer of the same bytes. */
export function listRows(
  service: ServerProcess,
  key: string,
  options: Options,
): Promise<Measured[]> {
  return againstBaselines(service, key, options, {
    what: 'GET /v1/end-users?limit=50 against a static answer of the same size',
    method: 'GET',
    path: '/v1/end-users?limit=50',
    goal: 0.6,
  });
}

/** The goal is held against Nest and Express as they come; beside the service's own adapter the rest shows better. */
async function againstBaselines(
  service: ServerProcess,
  key: string,
  options: Options,
  row: Row,
): Promise<Measured[]> {
  const stock = await againstBaseline(service, key, options, row, 'express');
  const own = await againstBaseline(service, key, options, row, 'stable shapes');
  return [
    {
      what: row.what,
      result: stock.ratio.toFixed(2),
      goal: `≥ ${row.goal}`,
      met: stock.ratio >= row.goal,
      detail: rates(stock),
    },
    {
      what: `${row.method}, against it on the service's own adapter`,
      result: own.ratio.toFixed(2),
      detail: rates(own),
    },
  ];
}

async function againstBaseline(
  service: ServerProcess,
  key: string,
  options: Options,
  row: Row,
  adapter: BaselineTask['adapter'],
): Promise<Comparison> {
  const page = await pageOf(service.address, key);
  const task: BaselineTask = { key, page, adapter };
  const { child, answer } = await startTask<BaselineStarted>(BASELINE, task);
  const target = (address: string) => ({ url: address + row.path, key, method: row.method });
  return compare(target(service.address), target(answer.address), options).finally(() =>
    stop(child),
  );
}

function rates({ first, second }: Comparison): string {
  return `${first.toFixed(0)}/s against ${second.toFixed(0)}/s`;
}

async function pageOf(address: string, key: string): Promise<object> {
  const response = await fetch(`${address}/v1/end-users?limit=50`, {
    headers: { Authorization: `Bearer ${key}` },
  });
  return (await response.json()) as object;
}
