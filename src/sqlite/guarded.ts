import { Unavailable } from '../kernel/errors.js';
import { isSystemError } from '../kernel/system-error.js';
import { sqliteCode } from './sqlite-code.js';

/**
 * Does something with the files of a database.
 * @param what the part of the service that they are, in words for an operator.
 * @throws Unavailable when the files fail, or are closed already; what else is thrown as it is.
 */
export function guarded<Result>(what: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw isOfTheFiles(error) ? new Unavailable(what, error) : error;
  }
}

/** Whether an error is one of the database or of its files, and not a fault of who uses them. */
export function isOfTheFiles(error: unknown): boolean {
  return sqliteCode(error) !== undefined || isClosed(error) || isSystemError(error);
}

/** Told by its message, as the driver has no code for it. */
function isClosed(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('message' in error)) return false;
  return error.message === 'The database connection is not open';
}
