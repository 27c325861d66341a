import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Options } from '../options.js';
import { startTask } from '../processes.js';
import type { Replayed, ReplayTask } from '../replay.js';
import type { Measured } from '../report.js';
import { median } from '../statistics.js';

const REPLAY = new URL('replay.js', import.meta.url);
const GOAL = 50_000;
const MOST_ROUNDS = 3;

/** Measures how many events per second a replay folds into all read models. */
export async function replayRow(dataDir: string, { rounds }: Options): Promise<Measured> {
  const runs: Replayed[] = [];
  for (let round = 0; round < Math.min(rounds, MOST_ROUNDS); round++) {
    deleteReadModels(dataDir);
    const task: ReplayTask = { settings: { DATA_DIR: dataDir } };
    runs.push((await startTask<Replayed>(REPLAY, task)).answer);
  }
  const rate = median(runs.map(({ events, seconds }) => events / seconds));
  const longestPause = Math.max(...runs.map(({ longestPauseMs }) => longestPauseMs));
  return {
    what: `replay of ${runs[0]?.events ?? 0} events into all read models`,
    result: `${Math.round(rate)} events/s`,
    goal: `≥ ${GOAL} events/s`,
    met: rate >= GOAL,
    detail: `${runs.length} runs; event loop never held longer than ${longestPause.toFixed(0)} ms`,
  };
}

function deleteReadModels(dataDir: string): void {
  rmSync(join(dataDir, 'read-models'), { recursive: true });
}
