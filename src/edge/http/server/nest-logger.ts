import type { LoggerService } from '@nestjs/common';
import type { Logger } from 'pino';

/** Writes the log lines of Nest, and of code that logs through Nest, to pino. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  /** Logs Nest's strings about its start at debug, and the service's own objects at info. */
  log(message: unknown, context?: unknown): void {
    this.#write(typeof message === 'string' ? 'debug' : 'info', message, context);
  }

  warn(message: unknown, context?: unknown): void {
    this.#write('warn', message, context);
  }

  error(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    // An error that ends a start is thrown as well, and the program prints it in one line.
    this.#write(context === 'ExceptionHandler' ? 'debug' : 'error', message, context);
  }

  #write(level: 'debug' | 'info' | 'warn' | 'error', message: unknown, context: unknown): void {
    this.logger[level]({ ...logFields(message), context });
  }
}

function logFields(message: unknown): object {
  if (message instanceof Error) return { msg: message.message, err: message };
  return typeof message === 'object' && message !== null ? message : { msg: message };
}
