import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { Unavailable } from '../../kernel/errors.js';

/**
 * Repeats an attempt while the attempt throws Unavailable, because servers may start later than the service. Logs one
 * line at the first failure, and a warning when the wait is long (docs/operations/process.md).
 * @throws every other error of the attempt.
 */
export async function whenAvailable<Result>(
  attempt: () => Promise<Result>,
  logger: Pick<Logger, 'info' | 'warn'>,
  { againAfterMs = 500, warnAfterMs = 10_000 } = {},
): Promise<Result> {
  const began = performance.now();
  let said: 'nothing' | 'waiting' | 'still waiting' = 'nothing';
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      if (said === 'nothing') {
        said = 'waiting';
        logger.info({ msg: said, err: error });
      }
      if (said === 'waiting' && performance.now() - began >= warnAfterMs) {
        said = 'still waiting';
        logger.warn({ msg: said, err: error });
      }
      await delay(againAfterMs);
    }
  }
}
