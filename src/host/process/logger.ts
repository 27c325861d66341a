import { isatty } from 'node:tty';
import { type Logger, pino } from 'pino';
import { prettyFactory } from 'pino-pretty';
import { loggedError } from './logged-error.js';
import { Output } from './output.js';

const STANDARD_OUTPUT = 1;

/**
 * Opens the log: JSON lines on standard output, or readable lines on a terminal. A standard output
 * that is slow, full or closed loses log lines and nothing else. A later line counts them.
 * @returns the logger, and the standard output for lines that are not log lines.
 */
export function openLogger(level: string): { logger: Logger; output: Output } {
  const output = new Output(STANDARD_OUTPUT, (lines) => {
    logger.warn({ msg: 'log lines were dropped', lines });
  });
  const pretty = isatty(STANDARD_OUTPUT) ? prettyFactory({ colorize: true }) : undefined;
  const options = {
    level,
    timestamp: pino.stdTimeFunctions.isoTime,
    base: null,
    serializers: { err: loggedError },
  };
  const write = (line: string): void => output.write(pretty ? pretty(line) : line);
  const logger = pino(options, { write });
  return { logger, output };
}
