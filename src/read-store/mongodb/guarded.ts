import { MongoError } from 'mongodb';
import { Unavailable } from '../../kernel/errors.js';

/** As the operating system names its errors: EPIPE, ECONNRESET. */
const SYSTEM_ERROR = /^E[A-Z0-9]+$/;

/** Does something with the server. @throws Unavailable when that fails; other errors as they are. */
export async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw isOfTheServer(error) ? new Unavailable('read store', error) : error;
  }
}

/** The driver does not wrap what it meets in writing to a connection that has just been closed. */
function isOfTheServer(error: unknown): boolean {
  if (error instanceof MongoError) return true;
  return error instanceof Error && 'code' in error && SYSTEM_ERROR.test(String(error.code));
}
