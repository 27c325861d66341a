import type { Options } from '../options.js';
import { startService } from '../processes.js';
import type { Measured } from '../report.js';
import { median } from '../statistics.js';

const GOAL_MS = 1_000;

/** Measures the time from the start of the process to ready, with current read models. */
export async function startRow(
  dataDir: string,
  key: string,
  { rounds, endUsers }: Options,
): Promise<Measured> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const service = await startService(dataDir, key);
    times.push(service.readyAfterMs);
    await service.stop();
  }
  const time = median(times);
  return {
    what: `ready after a start with a checkpoint at ${endUsers} events`,
    result: `${(time / 1_000).toFixed(2)} s`,
    goal: '< 1 s',
    met: time < GOAL_MS,
    detail: `${rounds} starts, slowest ${(Math.max(...times) / 1_000).toFixed(2)} s`,
  };
}
