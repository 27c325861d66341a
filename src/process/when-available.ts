import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Unavailable } from '../kernel/errors.js';

const AGAIN_AFTER_MS = 500;

/** Tries until what is needed can be reached, as servers may start later than the service, and says that it waits. */
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
