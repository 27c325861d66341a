import { Unavailable } from '../../kernel/errors.js';
import { isSystemError } from '../system-error.js';
import { sqliteCode } from './sqlite-code.js';

/** Runs work on the files of a database, whose faults it throws as `asFileFault` makes them. */
export function withFileFaults<Result>(part: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw asFileFault(part, error);
  }
}

/**
 * Returns Unavailable for an error of the database or its files, and the error itself for a mistake
 * of the caller.
 */
export function asFileFault(part: string, error: unknown): unknown {
  const isOfTheFiles = sqliteCode(error) !== undefined || isClosed(error) || isSystemError(error);
  return isOfTheFiles ? new Unavailable(part, error) : error;
}

/**
 * Whether an error says that the database is closed. Checks the message, as the driver has no code,
 * and not the class, as another realm may throw it.
 */
function isClosed(error: unknown): boolean {
  return (error as Partial<Error> | null)?.message === 'The database connection is not open';
}
