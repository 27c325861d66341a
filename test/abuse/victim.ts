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

/** An account whose requests are measured during an attack. */
export interface Victim {
  readonly address: string;
  readonly key: string;
  /** A key in use, for a victim that verifies; absent for one that manages end users and keys. */
  readonly verifies?: string;
}

/** The line with which a victim's process begins. */
const ASKING = 'asking\n';

const TURNS = 3;
/** p99 that a victim may see at most, whatever is done. */
const MOST_P99_MS = 500;
/** p99 that is no harm, however quick the service is else. */
const HARMLESS_P99_MS = 50;
/** A victim may see so many times what it sees beside harmless requests. */
const MOST_TIMES = 5;
/** Where harmless requests alone bring it near what it may see at most, the machine is busy with other things. */
const MOST_TIMES_WHEN_BUSY = 2;

/** Has a victim ask at a fixed rate while something goes on. */
export async function seenDuring(victim: Victim, action: () => Promise<unknown>): Promise<Seen> {
  const child = spawn(process.execPath, ['test/abuse/victim-process.mjs'], {
    env: {
      PATH: process.env.PATH,
      ADDRESS: victim.address,
      KEY: victim.key,
      VERIFIES: victim.verifies,
    },
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
 * Has a victim ask beside harmless requests and beside an attack in turns. What it sees in the middle one of three turns is
 * given, so that a machine that is busy with other things for one of them says nothing.
 */
export async function seenInTurns(
  victim: Victim,
  actions: { readonly harmless: () => Promise<unknown>; readonly attack: () => Promise<unknown> },
): Promise<{ readonly harmless: Seen; readonly attack: Seen }> {
  const harmless: Seen[] = [];
  const attack: Seen[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    harmless.push(await seenDuring(victim, actions.harmless));
    attack.push(await seenDuring(victim, actions.attack));
  }
  return { harmless: middle(harmless), attack: middle(attack) };
}

/** The one with the median p99, with the faults of all. */
function middle(turns: readonly Seen[]): Seen {
  const sorted = turns.toSorted((one, other) => one.p99 - other.p99);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (!median) throw new Error('there was no turn');
  return { ...median, faults: turns.flatMap(({ faults }) => faults) };
}

/**
 * Demands that a victim is served during an attack, in less than 500 ms, and in less than the larger of 50 ms and five
 * times what it saw beside as many harmless requests of the same sender. Where it saw more than 250 ms beside those, it may
 * see twice as much instead of 500 ms.
 */
export function expectServed(attack: Seen, harmless: Seen): void {
  const noticed = Math.max(HARMLESS_P99_MS, MOST_TIMES * harmless.p99);
  expectBelow(Math.min(mostOf(MOST_P99_MS, harmless), noticed), attack, harmless);
}

/** Demands that a victim sees less than a bound, or than twice what it saw beside harmless requests where that is more. */
export function expectServedWithin(mostMs: number, attack: Seen, harmless: Seen): void {
  expectBelow(mostOf(mostMs, harmless), attack, harmless);
}

function mostOf(mostMs: number, harmless: Seen): number {
  return Math.max(mostMs, MOST_TIMES_WHEN_BUSY * harmless.p99);
}

function expectBelow(bound: number, attack: Seen, harmless: Seen): void {
  expect({ faults: attack.faults }).toEqual({ faults: [] });
  expect({ faults: harmless.faults }).toEqual({ faults: [] });
  expect(attack.asked).toBeGreaterThan(20);
  process.stdout.write(
    `victim: p99 ${attack.p99.toFixed(1)} ms of ${attack.asked} (beside harmless requests ${harmless.p99.toFixed(1)} ms, bound ${bound.toFixed(0)} ms)\n`,
  );
  expect(attack.p99).toBeLessThan(bound);
}
