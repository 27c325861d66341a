import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Unavailable } from '../../kernel/errors.js';

const AGAIN_AFTER_MS = 500;
/** The wait after which a warning is logged. Servers that start together with the service are available sooner. */
const WARN_AFTER_MS = 10_000;

/**
 * Repeats an attempt while the attempt throws Unavailable, because servers may start later than the service. Logs one
 * line at the first failure, and a warning when the wait is long (docs/operations/process.md).
 * @throws every other error of the attempt.
 */
export async function whenAvailable<Result>(
  attempt: () => Promise<Result>,
  logger: Pick<Logger, 'info' | 'warn'>,
  { againAfterMs = AGAIN_AFTER_MS, warnAfterMs = WARN_AFTER_MS } = {},
): Promise<Result> {
  const began = performance.now();
  let isAnnounced = false;
  let isWarned = false;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      if (!isAnnounced) logger.info({ msg: 'waiting', err: error });
      isAnnounced = true;
      if (!isWarned && performance.now() - began >= warnAfterMs) {
        logger.warn({ msg: 'still waiting', err: error });
        isWarned = true;
      }
      await delay(againAfterMs);
    }
  }
}
