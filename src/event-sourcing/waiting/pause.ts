import { Bell } from './bell.js';

/** Waits for some time, or less if the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Bell().rung(signal, ms);
}
