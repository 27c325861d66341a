import { MongoError } from 'mongodb';
import { Unavailable } from '../../kernel/errors.js';
import { isSystemError } from '../../kernel/system-error.js';

/** The driver gives up sooner, but for an operation whose connection goes just as it begins: that never ends. */
export const LONGEST_OPERATION_MS = 10_000;

/**
 * Does something with the server, once there is a connection to it. @throws Unavailable when that fails, or takes longer
 * than anything may that is done with the server in good order.
 */
export type Connected = <Result>(work: () => Promise<Result>, withinMs?: number) => Promise<Result>;

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
  return error instanceof MongoError || isSystemError(error);
}
