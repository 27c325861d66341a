import { arch, cpus, loadavg, platform, totalmem } from 'node:os';
import type { Options } from './options.js';

/** One line of the report. */
export interface Measured {
  readonly what: string;
  readonly result: string;
  /** Absent when there is no goal, or when these servers cannot prove that the goal is met. */
  readonly goal?: string;
  readonly met?: boolean;
  /** The numbers behind the result. */
  readonly detail: string;
}

/**
 * Describes the machine and the settings of a run. It must be called before the first measurement.
 */
export function describeRun({ endUsers, rounds, seconds, connections, pin }: Options): string {
  const [{ model } = { model: 'unknown' }, { length: cores }] = [cpus()[0], cpus()];
  const memory = Math.round(totalmem() / 2 ** 30);
  return [
    `machine: ${model}, ${cores} cores, ${memory} GiB, ${platform()} ${arch()}, Node ${process.version}`,
    `load average before the first measurement: ${(loadavg()[0] ?? NaN).toFixed(1)}`,
    `settings: the service's defaults (log level info, fsync on every commit); ${endUsers} end users;`,
    `  medians of ${rounds} rounds, each side ${seconds} s a round with ${connections} connections${pin ? ', pinned' : ''}`,
  ].join('\n');
}

/** Formats the results as a Markdown table. */
export function tableOf(results: readonly Measured[]): string {
  const lines = results.map(({ what, result, goal = '-', met, detail }) =>
    [what, result, goal, met === undefined ? '-' : met ? 'yes' : 'NO', detail].join(' | '),
  );
  const head = ['what | result | goal | met | numbers', '--- | --- | --- | --- | ---'];
  return [...head, ...lines].map((line) => `| ${line} |`).join('\n');
}
