import { throughputOf } from '../load.js';
import type { Options } from '../options.js';
import { residentBytes, type ServerProcess } from '../processes.js';
import type { Measured } from '../report.js';

const MEGABYTE = 1_000_000;
const GOAL_BYTES = 256 * MEGABYTE;
const SAMPLE_EVERY_MS = 100;

/**
 * Measures the highest resident memory of the service while it registers, and lists at all depths.
 */
export async function memoryRow(
  service: ServerProcess,
  key: string,
  { endUsers, connections, seconds }: Options,
): Promise<Measured> {
  let most = 0;
  const sample = setInterval(() => {
    most = Math.max(most, residentBytes(service.pid));
  }, SAMPLE_EVERY_MS);
  const url = `${service.address}/v1/end-users`;
  try {
    for (const depth of [0, 0.25, 0.5, 0.75]) {
      const page = `${url}?limit=100&offset=${Math.floor(endUsers * depth)}`;
      await throughputOf({ url: page, method: 'GET', key, connections, seconds });
      await throughputOf({ url, method: 'POST', key, connections, seconds });
    }
  } finally {
    clearInterval(sample);
  }
  return {
    what: `resident memory with ${endUsers} end users, while serving`,
    result: `${Math.round(most / MEGABYTE)} MB`,
    goal: '< 256 MB',
    met: most > 0 && most < GOAL_BYTES,
    detail: `highest of samples every ${SAMPLE_EVERY_MS} ms under load`,
  };
}
