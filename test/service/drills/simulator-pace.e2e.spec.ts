import { describe, expect, it } from '@jest/globals';
import { SimulatorProcess } from '../../support/backends/eventstoredb-simulator/simulator-process.js';
import {
  CLASSIC,
  event,
  freshStream,
} from '../../support/backends/eventstoredb-simulator/real-client.js';
import { runningServer } from '../../support/backends/eventstoredb-simulator/running-server.js';

const AT_ONCE = 32;
const SECONDS = 3;
/** Measured on EventStoreDB 24.10.4 with two cores. */
const REAL = { perSecond: 2_200, aloneMs: 1.5 };
/** The tolerance on a quiet machine. */
const ROOM = 0.25;

const running = runningServer(() => SimulatorProcess.start({ pace: 'real' }));

/** The times of appends in milliseconds. */
async function appended(atOnce: number): Promise<number[]> {
  const times: number[] = [];
  const end = performance.now() + SECONDS * 1_000;
  const writer = async (): Promise<void> => {
    while (performance.now() < end) {
      const began = performance.now();
      await running.client.appendToStream(freshStream(), event(), CLASSIC);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, writer));
  return times.sort((a, b) => a - b);
}

function near(real: number): { readonly least: number; readonly most: number } {
  return { least: real * (1 - ROOM), most: real * (1 + ROOM) };
}

describe('on a quiet machine a simulator at the pace of a server', () => {
  it(`takes some ${REAL.perSecond} appends a second, ${AT_ONCE} at once`, async () => {
    await appended(AT_ONCE);
    const rate = (await appended(AT_ONCE)).length / SECONDS;
    const { least, most } = near(REAL.perSecond);
    expect(rate).toBeGreaterThan(least);
    expect(rate).toBeLessThan(most);
  });

  it(`takes some ${REAL.aloneMs} ms for an append alone`, async () => {
    await appended(1);
    const times = await appended(1);
    const median = times[Math.floor(times.length / 2)] ?? NaN;
    const { least, most } = near(REAL.aloneMs);
    expect(median).toBeGreaterThan(least);
    expect(median).toBeLessThan(most);
  });
});
