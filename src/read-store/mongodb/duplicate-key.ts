import { MongoServerError } from 'mongodb';

export const DUPLICATE_KEY = 11_000;

/** Whether a document was refused because there is one of its key. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}
