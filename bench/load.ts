import { startTask } from './processes.js';
import type { RawLoad, RawResult } from './raw-load.js';

export interface Load {
  readonly url: string;
  readonly key: string;
  readonly seconds: number;
  readonly connections: number;
  /** With POST, each request registers a new end user, or creates or verifies a key. */
  readonly method: 'GET' | 'POST' | 'PUT';
}

export interface LoadResult {
  readonly answered: number;
  readonly seconds: number;
  readonly failed: number;
}

const RAW_LOAD = new URL('raw-load.js', import.meta.url);

/** Runs a load in a process of its own. @throws Error when a request failed. */
export async function answered(load: RawLoad): Promise<RawResult> {
  const { answer } = await startTask<RawResult>(RAW_LOAD, { ...load });
  if (answer.failed > 0) throw new Error(`${load.url}: ${answer.failed} failed`);
  return answer;
}

/** Gives the answered requests per second. @throws Error when a request failed. */
export async function throughputOf(load: RawLoad): Promise<number> {
  const { answered: count, seconds } = await answered(load);
  return count / seconds;
}
