import { compare, type Comparison } from './comparison.js';
import { answered } from './load.js';
import type { Options } from './options.js';
import { processorSeconds } from './processes.js';
import type { RawLoad } from './raw-load.js';
import { median } from './statistics.js';

/** The requests that a process is sent. */
export interface Asked extends Omit<RawLoad, 'seconds' | 'connections' | 'perSecond'> {
  readonly pid: number;
}

export interface Costs {
  /** Answered requests per second. */
  readonly rates: Comparison;
  /** Microseconds of processor time for a request, over all threads of its process. */
  readonly costs: Comparison;
}

/** Compares like `compare`, by the rate and by the processor time of a request. */
export async function compareCosts(first: Asked, second: Asked, options: Options): Promise<Costs> {
  const costs = new Map<string, number[]>();
  const rates = await compare(first, second, options, async (load) => {
    const before = processorSeconds(load.pid);
    const { answered: count, seconds } = await answered(load);
    const cost = ((processorSeconds(load.pid) - before) * 1e6) / count;
    costs.set(load.url, [...(costs.get(load.url) ?? []), cost]);
    return count / seconds;
  });
  // The first cost of each side is that of its warm-up.
  const costsOf = ({ url }: Asked): number[] => costs.get(url)?.slice(1) ?? [];
  const others = costsOf(second);
  const ratios = costsOf(first).map((cost, round) => cost / (others[round] ?? NaN));
  return {
    rates,
    costs: { ratio: median(ratios), first: median(costsOf(first)), second: median(others) },
  };
}

export function inMicroseconds({ first, second }: Comparison): string {
  return `${first.toFixed(0)} µs of processor time against ${second.toFixed(0)} µs`;
}
