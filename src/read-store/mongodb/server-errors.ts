import { MongoServerError } from 'mongodb';

const DUPLICATE_KEY = 11_000;
const NAMESPACE_NOT_FOUND = 26;

/** Whether a document was refused because a document with the same `_id` exists. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === DUPLICATE_KEY;
}

/** Whether a collection was not dropped because it does not exist. */
export function isNoCollection(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === NAMESPACE_NOT_FOUND;
}
