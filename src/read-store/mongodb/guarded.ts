import { MongoError } from 'mongodb';
import { Unavailable } from '../../kernel/errors.js';

/** Does something with the server. @throws Unavailable when that fails; other errors as they are. */
export async function guarded<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof MongoError ? new Unavailable('read store', error) : error;
  }
}
