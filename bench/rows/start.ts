import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Options } from '../options.js';
import { CLI, startService } from '../processes.js';
import type { Measured } from '../report.js';
import { median } from '../statistics.js';

/**
 * Measures how soon the service is ready, and how soon a command answers, with current read models.
 */
export async function startRows(
  dataDir: string,
  key: string,
  { rounds, endUsers }: Options,
): Promise<Measured[]> {
  const starts: number[] = [];
  const commands: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const service = await startService(dataDir, key);
    starts.push(service.readyAfterMs);
    await service.stop();
    commands.push(await commandMs(dataDir));
  }
  return [
    row(`ready after a start with a checkpoint at ${endUsers} events`, starts, 1.2),
    row(`\`accounts list\` of the command line with ${endUsers} end users`, commands, 0.6),
  ];
}

async function commandMs(dataDir: string): Promise<number> {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
  const started = performance.now();
  await promisify(execFile)(process.execPath, [CLI, 'accounts', 'list'], { env });
  return performance.now() - started;
}

function row(what: string, times: readonly number[], goalSeconds: number): Measured {
  const seconds = median(times) / 1_000;
  return {
    what,
    result: `${seconds.toFixed(2)} s`,
    goal: `< ${goalSeconds} s`,
    met: seconds < goalSeconds,
    detail: `${times.length} times, slowest ${(Math.max(...times) / 1_000).toFixed(2)} s`,
  };
}
