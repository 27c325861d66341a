import { type Logger, pino } from 'pino';
import { build as prettyStream } from 'pino-pretty';

/** The logger of the process: JSON lines on standard output, or readable lines on a terminal. */
export function createLogger(level: string): Logger {
  const options = { level, timestamp: pino.stdTimeFunctions.isoTime, base: null };
  return process.stdout.isTTY
    ? pino(options, prettyStream({ sync: true }))
    : pino(options, pino.destination({ dest: 1, sync: true }));
}
