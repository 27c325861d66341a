import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from '@jest/globals';
import { eventually } from '../harness/eventually.js';

/** What an account that did nothing saw of the service meanwhile. */
export interface Seen {
  /** Milliseconds of which 99 of 100 answers took less. */
  readonly p99: number;
  readonly asked: number;
  /** Some of its requests that were not answered as they ought to be. */
  readonly faults: readonly string[];
}

/** The line with which a victim's process begins. */
const ASKING = 'asking\n';

/** p99 that a victim may see at most, whatever is done. */
const MOST_P99_MS = 500;
/** p99 that is no harm, however quick the service is else. */
const HARMLESS_P99_MS = 50;
/** A victim may see so many times what it sees beside harmless requests. */
const MOST_TIMES = 5;

/** Has a victim ask at a fixed rate while something goes on. */
export async function seenDuring(
  victim: { readonly address: string; readonly key: string },
  action: () => Promise<unknown>,
): Promise<Seen> {
  const child = spawn(process.execPath, ['test/abuse/victim-process.mjs'], {
    env: { PATH: process.env.PATH, ADDRESS: victim.address, KEY: victim.key },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = once(child, 'close');
  try {
    await eventually('the victim asks', () => printed.includes(ASKING));
    await action();
  } finally {
    child.stdin.end();
    await ended;
  }
  const { latencies, faults } = JSON.parse(printed.replace(ASKING, '')) as {
    latencies: number[];
    faults: string[];
  };
  const sorted = latencies.sort((a, b) => a - b);
  const p99 = sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Infinity;
  return { p99, asked: sorted.length, faults };
}

/**
 * Demands that a victim is served during an attack, in less than 500 ms, and in less than the larger of 50 ms and five
 * times what it saw beside as many harmless requests of the same sender.
 */
export function expectServed(attack: Seen, harmless: Seen): void {
  expect({ faults: attack.faults }).toEqual({ faults: [] });
  expect({ faults: harmless.faults }).toEqual({ faults: [] });
  expect(attack.asked).toBeGreaterThan(20);
  const bound = Math.min(MOST_P99_MS, Math.max(HARMLESS_P99_MS, MOST_TIMES * harmless.p99));
  process.stdout.write(
    `victim: p99 ${attack.p99.toFixed(1)} ms of ${attack.asked} (beside harmless requests ${harmless.p99.toFixed(1)} ms, bound ${bound.toFixed(0)} ms)\n`,
  );
  expect(attack.p99).toBeLessThan(bound);
}
