import { setTimeout as delay } from 'node:timers/promises';

// Measured on EventStoreDB 24.10.4 with a client on the same machine with two cores: 2,200 appends
// a second with 32 at once, 1.5 ms for one alone.
/** The server's time for each append. The server does one after another. */
const EACH_MS = 1_000 / 2_200;
/** The shortest wait of a client. The time of client and simulator is added to it. */
const LEAST_MS = 1;

/**
 * Makes appends as slow as on a server: each waits for earlier appends, and then takes its time.
 */
export class Pace {
  private busyUntil = 0;

  /** Resolves when an append that has just arrived may be written. */
  async turn(): Promise<void> {
    const now = performance.now();
    this.busyUntil = Math.max(now, this.busyUntil) + EACH_MS;
    await delay(Math.max(this.busyUntil - now, LEAST_MS));
  }
}
