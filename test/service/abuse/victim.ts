import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect } from '@jest/globals';
import { eventually } from '../../support/harness/eventually.js';

/** The answers that an account without fault got meanwhile. */
export interface Seen {
  /** The 99th percentile of the response times, in milliseconds. */
  readonly p99: number;
  readonly asked: number;
  /** Some of the requests that got a wrong answer or none. */
  readonly faults: readonly string[];
}

/** An account whose requests are measured during an attack. */
export interface Victim {
  readonly address: string;
  readonly key: string;
  /** A key in use, if the victim verifies. By default the victim manages end users and keys. */
  readonly verifies?: string;
  /** The hashes of keys, if the victim verifies each of them once. */
  readonly verifiesOnce?: readonly string[];
  /** The path that the victim reads again and again, if it reads. */
  readonly reads?: string;
  /** The time from one request to the next. Default: 10 ms. */
  readonly everyMs?: number;
}

/** The line that a victim's process prints when it begins to ask. */
const ASKING = 'asking\n';

/** A victim is a new process, and asks a hundred times before it says that it asks. */
const ASKS_WITHIN_MS = 20_000;
const TURNS = 3;
/** The highest p99 of a victim under any attack. */
const MOST_P99_MS = 500;
/** A p99 below this is no harm, even if the service is faster otherwise. */
const HARMLESS_P99_MS = 50;
/** The highest p99 as a multiple of the p99 beside harmless requests. */
const MOST_TIMES = 5;
/** The multiple on a busy machine, where harmless requests alone bring the p99 near its limit. */
const MOST_TIMES_WHEN_BUSY = 2;
/** How much higher the p99 is beside an attack that is hardly noticed. */
const MOST_TIMES_HARDLY_NOTICED = 1.5;
const HARDLY_NOTICED_MS = 5;

/** Lets a victim ask at a fixed rate during an action. */
export async function seenDuring(victim: Victim, action: () => Promise<unknown>): Promise<Seen> {
  const child = spawn(process.execPath, ['test/service/abuse/victim-process.mjs'], {
    env: {
      PATH: process.env.PATH,
      ADDRESS: victim.address,
      KEY: victim.key,
      VERIFIES: victim.verifies,
      VERIFIES_ONCE: victim.verifiesOnce?.join(' '),
      READS: victim.reads,
      EVERY_MS: String(victim.everyMs ?? 10),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const ended = once(child, 'close');
  try {
    await eventually('the victim asks', () => printed.includes(ASKING), ASKS_WITHIN_MS);
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
 * Lets a victim ask beside harmless requests and beside an attack, in three turns. The turn with
 * the median p99 counts, so that other load during one turn changes nothing.
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

/**
 * Lets a victim ask beside an attack. How long the attack takes to begin and to end is not
 * measured. The turns beside harmless requests come before and after those of the attack. The
 * attack is the same in each turn, so the turn with the least p99 counts: other load only adds to
 * it.
 */
export async function seenAround(
  victim: Victim,
  actions: Readonly<Record<'harmless' | 'attack', () => Promise<unknown>>> &
    Readonly<Partial<Record<'begin' | 'end', () => Promise<unknown>>>>,
): Promise<{ readonly harmless: Seen; readonly attack: Seen }> {
  const harmless = [await seenDuring(victim, actions.harmless)];
  const attack: Seen[] = [];
  await actions.begin?.();
  while (attack.length < TURNS) attack.push(await seenDuring(victim, actions.attack));
  await actions.end?.();
  while (harmless.length < TURNS) harmless.push(await seenDuring(victim, actions.harmless));
  return { harmless: turnAt(0, harmless), attack: turnAt(0, attack) };
}

/** Gives the turn with the median p99, with the faults of all turns. */
function middle(turns: readonly Seen[]): Seen {
  return turnAt(Math.floor(turns.length / 2), turns);
}

/** Gives the turn at a place in the order of the p99, with the faults of all turns. */
function turnAt(place: number, turns: readonly Seen[]): Seen {
  const turn = turns.toSorted((one, other) => one.p99 - other.p99)[place];
  if (!turn) throw new Error('there was no turn');
  return { ...turn, faults: turns.flatMap(({ faults }) => faults) };
}

/**
 * Demands a p99 below 500 ms, and below the larger of 50 ms and five times the p99 beside harmless
 * requests of the same sender, as many or for as long. If that p99 is above 250 ms, twice that p99
 * replaces the 500 ms.
 */
export function expectServed(attack: Seen, harmless: Seen): void {
  // The p99 of a few requests is but the time of the slowest one.
  expect(harmless.asked).toBeGreaterThan(20);
  const noticed = Math.max(HARMLESS_P99_MS, MOST_TIMES * harmless.p99);
  expectBelow(Math.min(mostOf(MOST_P99_MS, harmless), noticed), attack, harmless);
}

/**
 * Demands a p99 below `mostMs`, or below twice the p99 beside harmless requests if that is more.
 */
export function expectServedWithin(mostMs: number, attack: Seen, harmless: Seen): void {
  expectBelow(mostOf(mostMs, harmless), attack, harmless);
}

/** Demands a p99 below one and a half times the p99 beside harmless requests, or 5 ms more. */
export function expectHardlyNoticed(attack: Seen, harmless: Seen): void {
  const times = MOST_TIMES_HARDLY_NOTICED * harmless.p99;
  expectBelow(Math.max(times, harmless.p99 + HARDLY_NOTICED_MS), attack, harmless);
}

function mostOf(mostMs: number, harmless: Seen): number {
  return Math.max(mostMs, MOST_TIMES_WHEN_BUSY * harmless.p99);
}

function expectBelow(bound: number, attack: Seen, harmless: Seen): void {
  expect({ faults: attack.faults }).toEqual({ faults: [] });
  expect({ faults: harmless.faults }).toEqual({ faults: [] });
  expect(attack.asked).toBeGreaterThan(20);
  process.stdout.write(
    `victim: p99 ${attack.p99.toFixed(1)} ms of ${attack.asked} (beside harmless requests ${harmless.p99.toFixed(1)} ms of ${harmless.asked}, bound ${bound.toFixed(0)} ms)\n`,
  );
  expect(attack.p99).toBeLessThan(bound);
}
