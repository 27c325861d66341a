import { Unavailable } from '../kernel/errors.js';
import { sqliteCode } from './sqlite-code.js';

/** As the operating system names its errors: ENOSPC, EACCES. */
const SYSTEM_ERROR = /^E[A-Z0-9]+$/;

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

/** Whether an error is one of the database or of its files, and not a fault of who uses them. Told by shape, as `sqliteCode`. */
export function isOfTheFiles(error: unknown): boolean {
  if (sqliteCode(error) !== undefined) return true;
  if (typeof error !== 'object' || error === null) return false;
  // The driver has no code for it.
  if ('message' in error && error.message === 'The database connection is not open') return true;
  return 'code' in error && SYSTEM_ERROR.test(String(error.code));
}
