import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Unavailable } from '../kernel/errors.js';

const AGAIN_AFTER_MS = 500;

/**
 * Repeats an attempt while a part is Unavailable, because servers may start later than the service. Logs one line.
 * @throws any other error of the attempt.
 */
export async function whenAvailable<Result>(
  attempt: () => Promise<Result>,
  logger: Logger,
): Promise<Result> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      if (failures === 0) logger.warn({ msg: 'waiting', err: error });
      await delay(AGAIN_AFTER_MS);
    }
  }
}
