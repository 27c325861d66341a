import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Unavailable } from '../../kernel/errors.js';

/**
 * Repeats an attempt while the attempt throws Unavailable, because servers may start later than the
 * service. Logs what it waits for at the first failure, and again each minute, then as a warning.
 * @param placeOf returns where a part of the service is, such as the event log.
 * @throws every other error of the attempt.
 */
export async function whenAvailable<Result>(
  attempt: () => Promise<Result>,
  logger: Pick<Logger, 'info' | 'warn'>,
  placeOf: (part: string) => string,
  againAfterMs = 500,
  sayEveryMs = 60_000,
): Promise<Result> {
  const began = performance.now();
  let said = 0;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      if (performance.now() >= began + said * sayEveryMs) {
        const msg = `waiting for ${placeOf(error.part)} (${error.problem})`;
        logger[said === 0 ? 'info' : 'warn']({ msg });
        said += 1;
      }
      await delay(againAfterMs);
    }
  }
}
