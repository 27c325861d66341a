import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Unavailable } from '../../kernel/errors.js';

/**
 * Repeats an attempt while the attempt throws Unavailable, because servers may start later than the service. Logs the
 * reason at the first failure.
 * @throws every other error of the attempt.
 */
export async function whenAvailable<Result>(
  attempt: () => Promise<Result>,
  logger: Pick<Logger, 'info'>,
  againAfterMs = 500,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      if (failures === 0) logger.info({ msg: 'waiting', err: error });
      await delay(againAfterMs);
    }
  }
}
