import { Unavailable } from '../../kernel/errors.js';
import { isSystemError } from '../system-error.js';
import { sqliteCode } from './sqlite-code.js';

/**
 * Runs work on the files of a database.
 * @param what the name of the part for an operator, such as `event log`.
 * @throws Unavailable when the files fail or are closed; any other error unchanged.
 */
export function guarded<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw isOfTheFiles(error) ? new Unavailable(what, error) : error;
  }
}

/** Whether an error comes from the database or its files, and not from a mistake of the caller. */
export function isOfTheFiles(error: unknown): boolean {
  return sqliteCode(error) !== undefined || isClosed(error) || isSystemError(error);
}

/** Whether an error says that the database is closed. Checks the message, because the driver has no code for that. */
function isClosed(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('message' in error)) return false;
  return error.message === 'The database connection is not open';
}
