import { type Load, throughputOf } from './load.js';
import type { Options } from './options.js';
import { median } from './statistics.js';

export interface Comparison {
  /** The median over the rounds of first / second. */
  readonly ratio: number;
  /** The medians of the measured values: requests per second, unless stated otherwise. */
  readonly first: number;
  readonly second: number;
}

type Target = Pick<Load, 'url' | 'key' | 'method'>;

/**
 * Loads two targets in turn, so that other work of the machine affects both alike. The first target
 * of a round alternates. A first round warms both up and does not count.
 */
export async function compare<Asked extends Target>(
  first: Asked,
  second: Asked,
  { rounds, seconds, connections }: Options,
  measure: (load: Asked & Load) => Promise<number> = throughputOf,
): Promise<Comparison> {
  const run = (target: Asked): Promise<number> => measure({ ...target, seconds, connections });
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
