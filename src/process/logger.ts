import { type Logger, pino } from 'pino';
import { build as prettyStream } from 'pino-pretty';
import { loggedError } from './logged-error.js';

/** Bytes of log lines that wait for a slow reader of standard output; what comes beyond is dropped. */
const MOST_WAITING = 16 * 1024 * 1024;

/**
 * The logger of the process: JSON lines on standard output, or readable lines on a terminal. A standard output
 * that is slow, full or gone costs log lines and nothing else.
 */
export function createLogger(level: string): Logger {
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: null,
    serializers: { err: loggedError },
  };
  if (process.stdout.isTTY) return pino(options, prettyStream({ sync: true }));
  const destination = pino.destination({ dest: 1, sync: false, maxLength: MOST_WAITING });
  for (const stream of [destination, process.stdout]) stream.on('error', () => undefined);
  process.on('exit', () => {
    try {
      destination.flushSync();
    } catch {
      // Nobody is left to tell.
    }
  });
  return pino(options, destination);
}
