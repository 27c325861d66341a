import type { Logger } from 'pino';
import { claimEmbeddedLogs } from '../../event-sourcing/event-log/claim-embedded-logs.js';
import { setReadModelsAside } from '../../event-sourcing/read-store/open-read-store.js';
import { LEDGERS } from '../ledgers/ledgers.js';

/** How far the last event of a log may be ahead of the clock. */
const MOST_AHEAD_MS = 5 * 60_000;

/**
 * Makes sure that the logs of a data directory are those of this service, and warns of one that
 * begins anew or that is ahead of the clock.
 * @throws an Error that names the file of a log that was lost, or is another one.
 */
export function claimLogs(dataDir: string, logger: Logger): void {
  const logs = claimEmbeddedLogs(dataDir, LEDGERS, { mayBegin: true, mayBeginAnew: true });
  const latest = new Date(Date.now() + MOST_AHEAD_MS).toISOString();
  for (const { file, beginsAnew, lastAt } of logs) {
    if (beginsAnew) {
      const kept = setReadModelsAside(dataDir);
      logger.warn({
        msg: `the event log ${file} was empty: a new one begins`,
        kept_read_models: kept,
      });
    }
    if (lastAt !== null && lastAt > latest) {
      logger.warn({
        msg: `the time of the last event of ${file} is ${lastAt}: the clock is or was wrong`,
      });
    }
  }
}
