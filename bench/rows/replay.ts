import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '../options.js';
import { startTask } from '../processes.js';
import type { Replayed, ReplayTask } from '../replay.js';
import type { Measured } from '../report.js';
import { median } from '../statistics.js';

const REPLAY = new URL('replay.js', import.meta.url);
const GOAL = 50_000;
const GOAL_MICROSECONDS = 11;
const MOST_ROUNDS = 3;
const MEGABYTE = 1_000_000;

/**
 * Measures a replay into all read models: its rate, its processor time, and the bytes that it
 * writes.
 */
export async function replayRows(dataDir: string, { rounds }: Options): Promise<Measured[]> {
  const runs: Replayed[] = [];
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round++) {
    deleteReadModels(dataDir);
    const task: ReplayTask = { settings: { DATA_DIR: dataDir } };
    runs.push((await startTask<Replayed>(REPLAY, task)).answer);
  }
  const rate = median(runs.map(({ events, seconds }) => events / seconds));
  const longestPause = Math.max(...runs.map(({ longestPauseMs }) => longestPauseMs));
  const events = runs[0]?.events ?? 0;
  const cost = median(runs.map((run) => (run.processorSeconds * 1e6) / run.events));
  const bytes = bytesOfReadModels(dataDir);
  return [
    {
      what: `replay of ${events} events into all read models`,
      result: `${Math.round(rate)} events/s`,
      goal: `≥ ${GOAL} events/s`,
      met: rate >= GOAL,
      detail: `${runs.length} runs; event loop never held longer than ${longestPause.toFixed(0)} ms`,
    },
    {
      what: 'the same, processor time of an event',
      result: `${cost.toFixed(1)} µs`,
      goal: `≤ ${GOAL_MICROSECONDS} µs`,
      met: cost <= GOAL_MICROSECONDS,
      detail: `read models of ${Math.round(bytes / MEGABYTE)} MB, ${Math.round(bytes / events)} bytes an event`,
    },
  ];
}

export function deleteReadModels(dataDir: string): void {
  rmSync(join(dataDir, 'read-models'), { recursive: true });
}

export function bytesOfReadModels(dataDir: string): number {
  const directory = join(dataDir, 'read-models');
  const sizes = readdirSync(directory).map((file) => statSync(join(directory, file)).size);
  return sizes.reduce((sum, size) => sum + size, 0);
}
