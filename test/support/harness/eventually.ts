import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;

/**
 * Calls `look` until it gives a result, and gives that result.
 * @param look gives undefined or false while there is no result.
 * @throws Error that names `what` after the deadline.
 */
export async function eventually<Seen>(
  what: string,
  look: () => Seen | Promise<Seen>,
  withinMs = 5_000,
): Promise<Exclude<Seen, undefined | false>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen as Exclude<Seen, undefined | false>;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${withinMs} ms`);
    await delay(LOOK_EVERY_MS);
  }
}
