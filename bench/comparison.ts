import { type Load, throughputOf } from './load.js';
import type { Options } from './options.js';
import { median } from './statistics.js';

export interface Comparison {
  /** Median over the rounds of first / second. */
  readonly ratio: number;
  /** Requests per second, medians. */
  readonly first: number;
  readonly second: number;
}

type Target = Pick<Load, 'url' | 'key' | 'method' | 'asksFor'>;

/**
 * Loads two targets in turn, so that whatever else the machine does meets both alike. Which one is loaded
 * first alternates; a round before the first warms both up and does not count.
 */
export async function compare(
  first: Target,
  second: Target,
  { rounds, seconds, connections }: Options,
): Promise<Comparison> {
  const run = (target: Target): Promise<number> =>
    throughputOf({ ...target, seconds, connections });
  await run(first);
  await run(second);
  const firsts: number[] = [];
  const others: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [first, second] : [second, first];
    for (const target of order) (target === first ? firsts : others).push(await run(target));
  }
  return {
    ratio: median(firsts.map((value, round) => value / (others[round] ?? NaN))),
    first: median(firsts),
    second: median(others),
  };
}
