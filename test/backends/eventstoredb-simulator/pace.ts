import { setTimeout as delay } from 'node:timers/promises';

/** How long an append takes, as it was measured on EventStoreDB 24.10.4 with a client on the same machine of two cores. */
interface Times {
  /** Of the server, for each append: it does one after another. */
  readonly eachMs: number;
  /** That a client waits at least. What client and simulator take themselves comes on top. */
  readonly leastMs: number;
}

/** The classic call: 2,200 a second with 32 at once, 1.5 ms alone. The batch call: 5,000 a second, 0.9 ms alone. */
const REAL = {
  classic: { eachMs: 1_000 / 2_200, leastMs: 1 },
  batch: { eachMs: 1_000 / 5_000, leastMs: 0 },
} as const satisfies Readonly<Record<string, Times>>;

export type AppendCall = keyof typeof REAL;

/** As slow as a server: appends wait for those before them, and then take their time. */
export class Pace {
  private busyUntil = 0;

  /** Resolves when an append that has just arrived may be written. */
  async turn(call: AppendCall): Promise<void> {
    const now = performance.now();
    const { eachMs, leastMs } = REAL[call];
    this.busyUntil = Math.max(now, this.busyUntil) + eachMs;
    await delay(Math.max(this.busyUntil - now, leastMs));
  }
}
